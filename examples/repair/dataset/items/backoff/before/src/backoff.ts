export interface BackoffOptions {
  readonly baseMs?: number
  readonly maximumMs?: number
}

/** Milliseconds to wait after an attempt; attempts count from 1. */
export function backoff(attempt: number, options: BackoffOptions = {}): number {
  const { baseMs = 100, maximumMs = 30_000 } = options
  const wait = baseMs * 2 ** attempt
  return Math.max(wait, maximumMs)
}
