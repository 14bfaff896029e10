import { longestTimerMs } from './timers.js'

/** The pauses between attempts. */
export interface RetryPolicy {
  /** The longest pause before the second attempt, in milliseconds. */
  readonly baseMs: number
  /** The longest pause before any attempt, in milliseconds. */
  readonly maxMs: number
  /** The factor by which the longest pause grows with each attempt. Default 2. */
  readonly factor?: number | undefined
  /** Whether the pause is random, so that callers that failed together do not return together. Default `true`. */
  readonly jitter?: boolean | undefined
}

/**
 * Returns the pause before the next attempt, in milliseconds: the one that the server requested, otherwise a random
 * part of `baseMs`, which grows by `factor` with each attempt up to `maxMs` ("full jitter", M. Brooker, Exponential
 * Backoff And Jitter, 2015).
 *
 * @param attempt the failed attempt, counted from 1
 * @param retryAfterMs the pause that the server requested
 */
export function retryPauseMs(attempt: number, policy: RetryPolicy, retryAfterMs?: number): number {
  const { baseMs, maxMs, factor = 2, jitter = true } = policy
  return retryAfterMs ?? (jitter ? Math.random() : 1) * Math.min(maxMs, baseMs * factor ** (attempt - 1))
}

/**
 * Returns the pause that a response requests, in milliseconds: the header `retry-after-ms`, otherwise `retry-after` in
 * seconds or as a date; `undefined` if neither is valid.
 */
export function retryAfterMsIn(header: (name: string) => string | null | undefined): number | undefined {
  const exact = amountIn(header('retry-after-ms'))
  if (exact !== undefined) return exact
  const retryAfter = header('retry-after')
  const seconds = amountIn(retryAfter)
  if (seconds !== undefined) return seconds * 1_000
  const date = Date.parse(retryAfter ?? '')
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

function amountIn(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || text.trim() === '') return undefined
  const value = Number(text)
  return Number.isFinite(value) && value >= 0 ? value : undefined
}

/** Whether a request with this response status may succeed later. */
export function isRetryableStatus(status: number): boolean {
  return status >= 500 || [408, 409, 425, 429].includes(status)
}

/** Rejects with the signal's reason, without leaving a timer, as soon as the signal fires. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const done = () => {
      signal?.removeEventListener('abort', stop)
      resolve(ms > longestTimerMs ? pause(ms - longestTimerMs, signal) : undefined)
    }
    const timer = setTimeout(done, Math.min(ms, longestTimerMs))
    signal?.addEventListener('abort', stop, { once: true })
  })
}
