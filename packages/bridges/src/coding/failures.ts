import type { Failure } from '@jurist/core'
import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import '../errors.js'

/** A program that could not be started. */
export function startFailure(command: string, reason: string): Failure {
  const message = `${command} could not be started (${reason}). Install it, or give its whole path with "command".`
  return failed(new JuristError('agent-start', message, { command }), true)
}

/**
 * An agent that ended, or talks, in a way that its protocol does not know: its own failure, for an agent that could blame the
 * machine would be tried again, and be undecided in the end.
 */
export function protocolFailure(reason: string, told?: string): Failure {
  const last = told === undefined || told === '' ? '' : ` It said last: ${told}`
  return failed(
    new JuristError('agent-protocol', `The agent cannot be understood: ${reason}.${last}`, { reason }),
    false,
  )
}

/** An agent that ended without doing its task, with a code that says why. */
export function endFailure(code: string, reason: string, infrastructure = false): Failure {
  return Object.freeze({ name: 'JuristError', message: `The agent failed: ${reason}`, code, infrastructure })
}

function failed(error: JuristError, infrastructure: boolean): Failure {
  return Object.freeze({ ...failureOf(error), infrastructure })
}

/** The failure with what the agent wrote last to its error stream, unless its message tells it already. */
export function withLastWords(failure: Failure, words: string): Failure {
  if (words === '' || failure.message.includes(words)) return failure
  return Object.freeze({ ...failure, message: `${sentence(failure.message)} It said last: ${words}` })
}

/** The failure with a remedy at its end when the agent has no login, or a refused one. */
export function withLoginRemedy(failure: Failure, keyVariable?: string): Failure {
  if (failure.code !== 'http-401' && failure.code !== 'http-403') return failure
  return Object.freeze({ ...failure, message: `${sentence(failure.message)} ${loginRemedy(keyVariable)}` })
}

/** What to do for an agent without a login. */
export function loginRemedy(keyVariable?: string): string {
  const named = keyVariable === undefined ? '...' : `'${keyVariable}'`
  return `Allow the agent's key by name (environment: { allow: [${named}] }), or let it use your own login with home: 'host'.`
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** The last line with something in it. */
export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.trim() ?? ''
}
