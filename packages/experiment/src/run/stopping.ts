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
  onStop(listener: (reason: StopReason, message: string) => void): void
  /** Ends everything without a reason of its own: the run has failed. */
  abandon(message: string): void
  /** Calls `listener` once when running trials have to end. Returns how to take that back. */
  onCancel(listener: (message: string) => void): () => void
}

const nothing = () => {}

/** The brake of one run. The first reason counts, except that one which cancels replaces one which does not. */
export function stopping(): Stopping {
  const listeners = slots<(message: string) => void>()
  let stopped: (reason: StopReason, message: string) => void = nothing
  let said = ''
  let reason: StopReason | null = null
  let cancelled: string | null = null

  function cancel(message: string): void {
    cancelled = message
    for (const listener of listeners.takeAll()) listener(message)
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
      said = message
      stopped(wanted, message)
      if (cancels) cancel(message)
    },
    onStop(listener) {
      stopped = listener
      if (reason !== null) listener(reason, said)
    },
    abandon(message) {
      if (cancelled === null) cancel(message)
    },
    onCancel(listener) {
      if (cancelled === null) return listeners.put(listener)
      listener(cancelled)
      return nothing
    },
  }
}

interface Slots<Value> {
  /** Returns how to take the value out again. */
  put(value: Value): () => void
  takeAll(): readonly Value[]
}

/**
 * Values in a list whose places are used again. A `Set` would do, but the tables that it leaves behind as it is filled and
 * emptied keep what was in them alive through every small garbage collection: with ten thousand trials that is most of the
 * time spent collecting.
 */
function slots<Value>(): Slots<Value> {
  const values: (Value | undefined)[] = []
  const free: number[] = []
  return {
    put(value) {
      const place = free.pop() ?? values.length
      values[place] = value
      return () => {
        if (values[place] !== value) return
        values[place] = undefined
        free.push(place)
      }
    },
    takeAll() {
      const taken = values.filter((value) => value !== undefined)
      values.length = 0
      free.length = 0
      return taken
    },
  }
}
