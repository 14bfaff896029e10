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
  /** The message if the time is up. */
  readonly late: string
  /** Milliseconds that the step may take to end after its signal fired. Default 0. */
  readonly graceMs?: number
  /** Called with a value that comes after nobody waits any more. */
  readonly abandoned?: (value: Value) => void
}

/**
 * Runs one step of a trial (setup, agent, hook, jury) within its time limit and until the run is cancelled. Never rejects:
 * an exception becomes part of the end. A step that does not end in time is left behind, and how it ends is ignored.
 */
export async function runStep<Value>(
  { cancellation, timeoutMs, late, graceMs = 0, abandoned }: StepLimits<Value>,
  step: (step: Step) => Value | PromiseLike<Value>,
): Promise<StepEnd<Value>> {
  if (cancellation.cancelled !== null)
    return { type: 'unfinished', interruption: { by: 'stop', message: cancellation.cancelled } }
  const controller = new AbortController()
  let interruption: Interruption | null = null
  let giveUp = () => {}
  let cancelGrace = () => {}
  const graceIsOver = new Promise<void>((resolve) => {
    giveUp = resolve
  })
  function interrupt(wanted: Interruption): void {
    if (interruption !== null) return
    interruption = wanted
    controller.abort(new Error(wanted.message))
    if (graceMs === 0) giveUp()
    else cancelGrace = startTimer(graceMs, giveUp)
  }
  const cancelTimer = startTimer(timeoutMs, () => interrupt({ by: 'time', message: late }))
  const release = cancellation.onCancel((message) => interrupt({ by: 'stop', message }))
  const ending = endOf(
    () => step({ signal: controller.signal, interrupt }),
    () => interruption,
  )
  try {
    const end = await Promise.race([ending, graceIsOver])
    if (end !== undefined) return end
    void ending.then((late) => late.type === 'value' && abandoned?.(late.value))
    return { type: 'unfinished', interruption }
  } finally {
    cancelTimer()
    cancelGrace()
    release()
  }
}

async function endOf<Value>(
  step: () => Value | PromiseLike<Value>,
  interruption: () => Interruption | null,
): Promise<StepEnd<Value>> {
  try {
    return { type: 'value', value: await step(), interruption: interruption() }
  } catch (thrown) {
    return { type: 'thrown', thrown, interruption: interruption() }
  }
}
