import { longestTimerMs } from '@jurist/kit/timers'

interface Waiting {
  /** By the monotonic clock; not a number: nobody waits any more. */
  atMs: number
  readonly late: () => void
  timer: NodeJS.Timeout | undefined
}

/** Those that began in this turn of the event loop. */
let begun: Waiting[] = []

/**
 * Calls `late` after `ms` milliseconds, unless what this returns is called before. A timer is made for what still waits in
 * the next turn of the event loop, with what is left of its time: thousands of trivial steps end in the turn in which they
 * began, and timers would cost more than they do. Timers overflow at 2^31 ms: a limit beyond 24 days is none.
 */
export function deadline(ms: number, late: () => void): () => void {
  if (ms > longestTimerMs) return () => {}
  const waiting: Waiting = { atMs: performance.now() + ms, late, timer: undefined }
  if (begun.length === 0) setImmediate(makeTimers)
  begun.push(waiting)
  return () => {
    waiting.atMs = Number.NaN
    clearTimeout(waiting.timer)
  }
}

function makeTimers(): void {
  const still = begun
  begun = []
  const nowMs = performance.now()
  for (const waiting of still)
    if (waiting.atMs >= 0) waiting.timer = setTimeout(waiting.late, Math.max(0, waiting.atMs - nowMs))
}
