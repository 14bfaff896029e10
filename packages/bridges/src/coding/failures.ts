import type { Failure } from '@jurist/core'
import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import '../errors.js'

export function startError(command: string, reason: string, cause?: unknown): JuristError<'agent-start'> {
  const message = `${command} could not be started (${reason}). Install it, or pass its full path as "command".`
  return new JuristError('agent-start', message, { command }, { cause })
}

export function startFailure(command: string, reason: string): Failure {
  return Object.freeze({ ...failureOf(startError(command, reason)), infrastructure: true })
}

export function protocolError(reason: string, lastWords = ''): JuristError<'agent-protocol'> {
  const last = lastWords === '' ? '' : ` Its last output: ${lastWords}`
  return new JuristError('agent-protocol', `The agent violated its protocol: ${reason}.${last}`, { reason })
}

/**
 * Counts as the agent's own failure: an infrastructure failure would be retried, and an agent could avoid judgment by
 * causing one.
 */
export function protocolFailure(reason: string, lastWords?: string): Failure {
  return Object.freeze({ ...failureOf(protocolError(reason, lastWords)), infrastructure: false })
}

export function endFailure(code: string, reason: string, infrastructure = false): Failure {
  return Object.freeze({ name: 'JuristError', message: `The agent failed: ${reason}`, code, infrastructure })
}

/** Adds the last line of the agent's error stream, unless the message already includes it. */
export function withLastWords(failure: Failure, words: string): Failure {
  if (words === '' || failure.message.includes(words)) return failure
  return Object.freeze({ ...failure, message: `${sentence(failure.message)} Its last output: ${words}` })
}

/** Adds a remedy if the agent has no login, or the service refused it. */
export function withLoginRemedy(failure: Failure, keyVariable?: string): Failure {
  if (failure.code !== 'http-401' && failure.code !== 'http-403') return failure
  return Object.freeze({ ...failure, message: `${sentence(failure.message)} ${loginRemedy(keyVariable)}` })
}

export function loginRemedy(keyVariable?: string): string {
  const named = keyVariable === undefined ? '...' : `'${keyVariable}'`
  return `Allow the agent's key by name (environment: { allow: [${named}] }), or let it use your own login with home: 'host'.`
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.trim() ?? ''
}
