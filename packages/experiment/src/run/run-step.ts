import { startTimer } from '@jurist/kit/timers'
import type { Cancellation } from './cancellation.js'

/** Why a step had to end: its time was up, the run was cancelled, or the step itself cost too much. */
export interface Interruption {
  readonly by: 'time' | 'stop' | 'cost'
  readonly message: string
}

/** The end of a step. `interruption` is set if the step had to end, also when it returned or threw within its grace period. */
export type StepEnd<Value> = { readonly interruption: Interruption | null } & (
  | { readonly type: 'value'; readonly value: Value }
  | { readonly type: 'thrown'; readonly thrown: unknown }
  | { readonly type: 'unfinished' }
)

/** What a step gets: a signal that fires when it has to end, and a way to end it from within. */
export interface Step {
  readonly signal: AbortSignal
  interrupt(interruption: Interruption): void
}

export interface StepLimits<Value> {
  readonly cancellation: Cancellation
  readonly timeoutMs: number
  /** Whose signal the step gets. Default: one of its own. */
  readonly controller?: AbortController
  /** The message if the time is up. */
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
  { cancellation, timeoutMs, controller = new AbortController(), late, graceMs = 0, abandoned }: StepLimits<Value>,
  step: (step: Step) => Value | PromiseLike<Value>,
): Promise<StepEnd<Value>> {
  return new Promise((resolve) => {
    const { cancelled } = cancellation
    if (cancelled !== null) return resolve({ type: 'unfinished', interruption: { by: 'stop', message: cancelled } })
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
    function giveUp(): void {
      if (!over) end({ type: 'unfinished', interruption })
    }
    function interrupt(wanted: Interruption): void {
      if (interruption !== null || over) return
      interruption = wanted
      controller.abort(new Error(wanted.message))
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
