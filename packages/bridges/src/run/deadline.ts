import { longestTimerMs } from '@jurist/kit/timers'

/** A signal with a clock, and what must be cleared when the work is done. */
export interface Deadline {
  /** Fires with the outer signal, or with a `TimeoutError` when the time is over. */
  readonly signal: AbortSignal
  /** Stops the clock. */
  end(): void
}

/**
 * A signal that fires when `outer` does, or after `timeoutMs`.
 *
 * @example
 * const clock = deadline(context.signal, 60_000)
 * try {
 *   await fetch(url, { signal: clock.signal })
 * } finally {
 *   clock.end()
 * }
 */
export function deadline(outer: AbortSignal | undefined, timeoutMs: number | undefined): Deadline {
  const own = new AbortController()
  const late = () => own.abort(new DOMException(`The run took longer than ${timeoutMs} ms.`, 'TimeoutError'))
  const timer = timeoutMs === undefined || timeoutMs > longestTimerMs ? undefined : setTimeout(late, timeoutMs)
  return {
    // Joined rather than listened to: many runs may share one outer signal, and runtimes warn of many listeners.
    signal: outer === undefined ? own.signal : AbortSignal.any([outer, own.signal]),
    end: () => clearTimeout(timer),
  }
}

/**
 * The value, or a rejection with the signal's reason once `graceMs` have passed since it fired: whatever comes later is
 * ignored.
 */
export function withinGrace<Value>(value: PromiseLike<Value>, signal: AbortSignal, graceMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const fired = () => {
      timer = setTimeout(() => reject(signal.reason), graceMs)
    }
    const settle =
      <Argument>(end: (argument: Argument) => void) =>
      (argument: Argument) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', fired)
        end(argument)
      }
    if (signal.aborted) fired()
    else signal.addEventListener('abort', fired, { once: true })
    value.then(settle<Value | PromiseLike<Value>>(resolve), settle<unknown>(reject))
  })
}
