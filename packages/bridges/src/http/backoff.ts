import { longestTimer } from '../run/deadline.js'
import type { Retries } from './http-options.js'

/** A policy of waiting, complete. */
export type Backoff = Required<Retries>

/**
 * How long to wait before the next attempt, in milliseconds: what the server asked for, else a random part of `baseMs`
 * doubled with each attempt, up to `maxMs` ("full jitter", M. Brooker, Exponential Backoff And Jitter, 2015).
 *
 * @param attempt the attempt that failed, from 1
 */
export function waitBefore(attempt: number, { baseMs, maxMs }: Backoff, retryAfterMs: number | undefined): number {
  return retryAfterMs ?? Math.random() * Math.min(maxMs, baseMs * 2 ** (attempt - 1))
}

/** What a server asks to wait, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or as a date. */
export function retryAfterOf(header: (name: string) => string | null | undefined): number | undefined {
  const exact = numberIn(header('retry-after-ms'))
  if (exact !== undefined) return exact
  const told = header('retry-after')
  const seconds = numberIn(told)
  if (seconds !== undefined) return seconds * 1_000
  const date = Date.parse(told ?? '')
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

function numberIn(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || text.trim() === '') return undefined
  const value = Number(text)
  return Number.isFinite(value) && value >= 0 ? value : undefined
}

/** Whether a status may be another one the next time. */
export function isRetryable(status: number): boolean {
  return status >= 500 || [408, 409, 425, 429].includes(status)
}

/** Waits; a rejection with the signal's reason as soon as it fires. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', stop)
        resolve()
      },
      Math.min(ms, longestTimer),
    )
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
