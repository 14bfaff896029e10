import { startTimer } from '@jurist/kit/timers'

export interface Deadline {
  /** Fires with the outer signal, or with a `TimeoutError` when the time is over. */
  readonly signal: AbortSignal
  end(): void
}

/** The signal fires when `outer` does, or after `timeoutMs`. The caller must call `end`. */
export function deadline(outer: AbortSignal | undefined, timeoutMs: number | undefined): Deadline {
  const own = new AbortController()
  const late = () => own.abort(new DOMException(`The run took longer than ${timeoutMs} ms.`, 'TimeoutError'))
  return {
    // Joined, not listened to: many runs may share one outer signal, and runtimes warn about many listeners.
    signal: outer === undefined ? own.signal : AbortSignal.any([outer, own.signal]),
    end: timeoutMs === undefined ? () => {} : startTimer(timeoutMs, late),
  }
}

/** Waits at most `graceMs` after the signal has fired; then rejects with the signal's reason and ignores the value. */
export async function withinGrace<Value>(
  value: PromiseLike<Value>,
  signal: AbortSignal,
  graceMs: number,
): Promise<Value> {
  let cancel = () => {}
  let fired = () => {}
  const abandoned = new Promise<never>((_, reject) => {
    fired = () => {
      cancel = startTimer(graceMs, () => reject(signal.reason))
    }
    if (signal.aborted) fired()
    else signal.addEventListener('abort', fired, { once: true })
  })
  try {
    return await Promise.race([value, abandoned])
  } finally {
    cancel()
    signal.removeEventListener('abort', fired)
  }
}
