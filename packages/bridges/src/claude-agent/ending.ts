import type { Failure } from '@jurist/core'
import { endFailure } from '../coding/failures.js'
import type { FinishWords } from '../context/finish.js'
import { finishOf } from '../context/finish.js'
import type { Look } from '../context/look.js'
import type { RunOutcome } from '../context/outcome.js'
import { isInfrastructureStatus } from '../run/thrown.js'

const words: FinishWords = {
  success: ['end_turn', 'stop_sequence', 'tool_use'],
  truncated: ['max_tokens', 'model_context_window_exceeded'],
  refused: ['refusal'],
  failed: [],
}
/** Endings that are no fault of the agent: the service did not answer as it should. */
const serviceReasons: ReadonlySet<unknown> = new Set(['api_error', 'model_error', 'turn_setup_failed'])

/** How a run ended. */
export type Ending = Pick<RunOutcome, 'status' | 'failure'> & { readonly truncated?: true }

/** How a run ended, by its result; without one that is unknown. */
export function endingOf(result: Look, messages: readonly Look[]): Ending {
  const subtype = result.get('subtype').text()
  if (subtype === 'success' && result.get('is_error').flag() !== true) return finished(result)
  if (subtype === 'success') return { status: 'failed', failure: serviceFailure(result, messages) }
  if (subtype === undefined || !subtype.startsWith('error_')) return { status: 'unknown' }
  if (result.get('api_error_status').present) return { status: 'failed', failure: serviceFailure(result, messages) }
  const errors = result
    .get('errors')
    .list()
    .flatMap((error) => error.text() ?? [])
  const code = subtype.slice('error_'.length).replaceAll('_', '-')
  return { status: 'failed', failure: endFailure(code, errors.join('; ') || code) }
}

function finished(result: Look): Ending {
  const reason = result.get('stop_reason').text()
  return reason === undefined ? { status: 'success' } : finishOf(reason, words, {})
}

function serviceFailure(result: Look, messages: readonly Look[]): Failure {
  const told = result.get('result').text() ?? 'it did not say why'
  const status = result.get('api_error_status').number() ?? loginStatus(messages)
  if (status !== undefined) return endFailure(`http-${status}`, told, isInfrastructureStatus(status))
  const reason = result.get('terminal_reason').text()
  return endFailure(reason ?? 'agent-failed', told, serviceReasons.has(reason))
}

/** Without a login nothing is asked, and so there is no status. */
function loginStatus(messages: readonly Look[]): number | undefined {
  const isLogin = messages.some((message) => message.get('error').value === 'authentication_failed')
  return isLogin ? 401 : undefined
}
