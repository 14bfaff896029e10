import type { StopReason } from '../result/records.js'

/** Whether a run continues. */
export interface Cancellation {
  /** Why no further trial starts; `null` while trials start. */
  readonly reason: StopReason | null
  /** Why running trials have to end as well; `null` while they may run. */
  readonly cancelled: string | null
  /** Starts no further trial. `cancelled` and `experiment-timeout` also end the running ones. */
  stop(reason: StopReason, message: string): void
  /** Calls `listener` for every reason that counts, including one given before. */
  onStop(listener: (reason: StopReason, message: string) => void): void
  /** Ends all trials because the run has failed: this is not a stop reason. */
  abandon(message: string): void
  /** Calls `listener` once when running trials have to end. Returns a function that removes it. */
  onCancel(listener: (message: string) => void): () => void
}

/** The cancellation of one run. The first reason counts; one that cancels replaces one that only stops. */
export function cancellation(): Cancellation {
  // An array: a set that is filled and emptied all the time keeps what was in it alive until the next full garbage collection.
  let listeners: ((message: string) => void)[] = []
  let onStop: (reason: StopReason, message: string) => void = () => {}
  let stopMessage = ''
  let reason: StopReason | null = null
  let cancelled: string | null = null

  function cancel(message: string): void {
    cancelled = message
    const called = listeners
    listeners = []
    for (const listener of called) listener(message)
  }

  return {
    get reason() {
      return reason
    },
    get cancelled() {
      return cancelled
    },
    stop(wanted, message) {
      const cancels = wanted === 'cancelled' || wanted === 'experiment-timeout'
      if (cancelled !== null || (reason !== null && !cancels)) return
      reason = wanted
      stopMessage = message
      onStop(wanted, message)
      if (cancels) cancel(message)
    },
    onStop(listener) {
      onStop = listener
      if (reason !== null) listener(reason, stopMessage)
    },
    abandon(message) {
      if (cancelled === null) cancel(message)
    },
    onCancel(listener) {
      if (cancelled !== null) listener(cancelled)
      else listeners.push(listener)
      return () => {
        const place = listeners.indexOf(listener)
        if (place >= 0) listeners.splice(place, 1)
      }
    },
  }
}
