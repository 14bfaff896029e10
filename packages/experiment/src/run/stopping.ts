import type { StopReason } from '../result/records.js'

/** Whether a run goes on. */
export interface Stopping {
  /** Why no further trial starts; `null`: they do. */
  readonly reason: StopReason | null
  /** Whether running trials have to end as well, and why. */
  readonly cancelled: string | null
  /** No further trial starts; a cancellation or the end of the run's time ends the running ones too. */
  stop(reason: StopReason, message: string): void
  /** Calls `listener` with every reason that counts, also with one that was there before. */
  onStop(listener: (reason: StopReason) => void): void
  /** Ends everything without a reason of its own: the run has failed. */
  abandon(message: string): void
  /** Calls `listener` once when running trials have to end. Returns how to take that back. */
  onCancel(listener: (message: string) => void): () => void
}

const nothing = () => {}

/** The brake of one run. The first reason counts, except that one which cancels replaces one which does not. */
export function stopping(): Stopping {
  const listeners = new Set<(message: string) => void>()
  let stopped: (reason: StopReason) => void = nothing
  let reason: StopReason | null = null
  let cancelled: string | null = null

  function cancel(message: string): void {
    cancelled = message
    for (const listener of listeners) listener(message)
    listeners.clear()
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
      stopped(wanted)
      if (cancels) cancel(message)
    },
    onStop(listener) {
      stopped = listener
      if (reason !== null) listener(reason)
    },
    abandon(message) {
      if (cancelled === null) cancel(message)
    },
    onCancel(listener) {
      if (cancelled !== null) {
        listener(cancelled)
        return nothing
      }
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
