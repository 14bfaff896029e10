import type { JuristError } from '@jurist/core'
import { isRetryableStatus, pause, retryAfterMsIn, retryPauseMs } from '@jurist/kit/retry-pause'
import { isObject, propertyOf } from '../context/safe-reader.js'
import { connectionProblem, httpProblem, responseProblem } from '../http/model-errors.js'
import type { Backoff, Clock } from '../http/requests.js'
import { isConnectionFailure } from '../run/classify-error.js'
import { withoutKeys } from '../run/secrets.js'

/**
 * Calls a language model, again while the failure may pass: what the provider calls retryable, statuses 408, 409, 429 and
 * from 500, a connection that fails. A wait longer than the longest of the policy, or past the end of the clock, is not
 * begun.
 *
 * @throws `model-http`, `model-connection`, `model-response`; what the provider throws otherwise
 */
export async function withAttempts<Value>(
  call: () => PromiseLike<Value>,
  backoff: Backoff,
  clock: Clock,
): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      clock.signal.throwIfAborted()
      clock.attempts += 1
      return await call()
    } catch (thrown) {
      if (clock.signal.aborted) throw thrown
      const waitMs = retryPauseMs(attempt, backoff, retryAfterIn(thrown))
      const tooLong = waitMs > backoff.maxMs || performance.now() + waitMs >= clock.endsAt
      if (attempt >= backoff.attempts || tooLong || !mayPass(thrown)) throw problemOf(thrown)
      await pause(waitMs, clock.signal)
    }
  }
}

function mayPass(thrown: unknown): boolean {
  if (!isObject(thrown)) return false
  const status = statusIn(thrown)
  if (isCalledRetryable(thrown) || isConnectionFailure(thrown)) return true
  return status !== undefined && isRetryableStatus(status)
}

/** The provider's own opinion. */
function isCalledRetryable(thrown: unknown): boolean {
  return isObject(thrown) && propertyOf(thrown, 'isRetryable') === true
}

function statusIn(thrown: unknown): number | undefined {
  const status = isObject(thrown) ? propertyOf(thrown, 'statusCode') : undefined
  return typeof status === 'number' ? status : undefined
}

function retryAfterIn(thrown: unknown): number | undefined {
  const headers = isObject(thrown) ? propertyOf(thrown, 'responseHeaders') : undefined
  return isObject(headers) ? retryAfterMsIn((name) => headerText(propertyOf(headers, name))) : undefined
}

function headerText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

const shownCharacters = 500
/** An error of a provider in our words; what is no failure of a call stays as it is. */
function problemOf(thrown: unknown): JuristError | unknown {
  const status = statusIn(thrown)
  const nobody = isConnectionFailure(thrown) || (status === undefined && isCalledRetryable(thrown))
  if (nobody) return connectionProblem(hostIn(thrown), 'the connection failed')
  if (status === undefined) return thrown
  const message = isObject(thrown) ? withoutKeys(String(propertyOf(thrown, 'message'))).slice(0, shownCharacters) : ''
  if (status < 300) return responseProblem(message)
  const about = status === 401 || status === 403 ? 'see whether its key is right' : message
  const told = `The provider answered with status ${status}: ${about}.`
  return httpProblem(told, { status, retryAfterMs: retryAfterIn(thrown) })
}

function hostIn(thrown: unknown): string {
  const url = isObject(thrown) ? propertyOf(thrown, 'url') : undefined
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : 'The provider'
}
