import type { JuristError } from '@jurist/core'
import { isRetryableStatus, pause, retryAfterMsIn, retryPauseMs } from '@jurist/kit/retry-pause'
import { isObject, propertyOf } from '../context/safe-reader.js'
import { connectionProblem, httpProblem, responseProblem } from '../http/model-errors.js'
import type { Backoff, Clock } from '../http/requests.js'
import { isConnectionFailure } from '../run/classify-error.js'
import { withoutKeys } from '../run/secrets.js'

/**
 * Calls a language model. Retries errors that the provider calls retryable, statuses 408, 409, 425, 429 and from 500, and
 * lost connections, unless the pause would exceed `maxMs` or the time limit.
 *
 * @throws `model-http`, `model-connection`, `model-response`; other errors of the provider unchanged
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

/** Whether the provider calls an error retryable. */
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
/** A provider's error as a `JuristError`; other errors are returned unchanged. */
function problemOf(thrown: unknown): JuristError | unknown {
  const status = statusIn(thrown)
  const isLost = isConnectionFailure(thrown) || (status === undefined && isCalledRetryable(thrown))
  if (isLost) return connectionProblem(hostIn(thrown), 'the connection failed')
  if (status === undefined) return thrown
  const message = isObject(thrown) ? withoutKeys(String(propertyOf(thrown, 'message'))).slice(0, shownCharacters) : ''
  if (status < 300) return responseProblem(message)
  const about = status === 401 || status === 403 ? 'check the key' : message
  const text = `The provider answered with status ${status}: ${about}.`
  return httpProblem(text, { status, retryAfterMs: retryAfterIn(thrown) })
}

function hostIn(thrown: unknown): string {
  const url = isObject(thrown) ? propertyOf(thrown, 'url') : undefined
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : 'The provider'
}
