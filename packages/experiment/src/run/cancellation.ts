import type { Failure } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { startTimer } from '@jurist/kit/timers'
import type { StopReason } from '../result/records.js'

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
  const listeners = new Set<(message: string) => void>()
  let onStop: (reason: StopReason, message: string) => void = () => {}
  let stopMessage = ''
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
      else listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Why a step had to end: its time was up, the run was cancelled, or the step itself cost too much. */
export interface Interruption {
  readonly by: 'time' | 'stop' | 'cost'
  readonly message: string
}

/** The end of a step. `interruption` is set if the step had to end, also when it returned or threw within its grace period. */
export type StepEnd<Value> =
  | { readonly type: 'value'; readonly value: Value; readonly interruption: Interruption | null }
  | { readonly type: 'thrown'; readonly thrown: unknown; readonly interruption: Interruption | null }
  | { readonly type: 'unfinished'; readonly interruption: Interruption }

/**
 * The failure of a step that had to end.
 *
 * @param timeoutCode its code if the time was up
 */
export function interruptedFailure({ by, message }: Interruption, timeoutCode: string): Failure {
  switch (by) {
    case 'time':
      return { name: 'Timeout', message, code: timeoutCode }
    case 'stop':
      return { name: 'Cancelled', message, code: 'cancelled' }
    case 'cost':
      return { name: 'BudgetExceeded', message, code: 'budget-exceeded' }
    default:
      return by satisfies never
  }
}

/** Passed to a step: a signal that fires when the step must end, and functions that end it from within. */
export interface Step {
  readonly signal: AbortSignal
  interrupt(interruption: Interruption): void
}

interface StepLimits<Value> {
  readonly cancellation: Cancellation
  readonly timeoutMs: number
  /** Message of the interruption after the timeout. */
  readonly late: string
  /** Milliseconds that the step may take to end after its signal fired. Default 0. */
  readonly graceMs?: number
  /** Called with a value that comes after the step was left behind. */
  readonly abandoned?: (value: Value) => void
}

/**
 * Runs one step of a trial (setup, agent, hook, jury) within its time limit and until the run is cancelled. Never rejects:
 * an exception becomes part of the end. A step that does not end in time is left behind, and how it ends is ignored.
 */
export function runStep<Value>(
  { cancellation, timeoutMs, late, graceMs = 0, abandoned }: StepLimits<Value>,
  step: (step: Step) => Value | PromiseLike<Value>,
): Promise<StepEnd<Value>> {
  return new Promise((resolve) => {
    const { cancelled } = cancellation
    if (cancelled !== null) return resolve({ type: 'unfinished', interruption: { by: 'stop', message: cancelled } })
    const controller = new AbortController()
    let interruption: Interruption | null = null
    let over = false
    let cancelGrace = () => {}

    function end(result: StepEnd<Value>): void {
      over = true
      cancelTimer()
      cancelGrace()
      release()
      resolve(result)
    }
    function interrupt(wanted: Interruption): void {
      if (interruption !== null || over) return
      interruption = wanted
      controller.abort(new Error(wanted.message))
      const giveUp = () => {
        if (!over) end({ type: 'unfinished', interruption: wanted })
      }
      if (graceMs > 0) cancelGrace = startTimer(graceMs, giveUp)
      else giveUp()
    }
    const cancelTimer = startTimer(timeoutMs, () => interrupt({ by: 'time', message: late }))
    const release = cancellation.onCancel((message) => interrupt({ by: 'stop', message }))
    async function perform(): Promise<void> {
      try {
        const value = await step({ signal: controller.signal, interrupt })
        if (over) abandoned?.(value)
        else end({ type: 'value', value, interruption })
      } catch (thrown) {
        if (!over) end({ type: 'thrown', thrown, interruption })
      }
    }
    void perform()
  })
}

/** Cancels when the signal fires. Returns a function that stops listening. */
export function stopOnSignal(signal: AbortSignal | undefined, cancellation: Cancellation): () => void {
  if (!(signal instanceof AbortSignal)) return () => {}
  const stop = () => cancellation.stop('cancelled', failureOf(signal.reason).message)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  return () => signal.removeEventListener('abort', stop)
}
