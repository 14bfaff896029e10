import { deadline } from './deadline.js'
import type { Stopping } from './stopping.js'

/** What kept a step from ending by itself: its time was up, the run was stopped, or it was ended from within. */
export interface Cut {
  readonly by: 'time' | 'stop' | 'cost'
  readonly message: string
}

/** How a step ended. `cut` is set when it had to end; what it gave or threw within the grace period is told all the same. */
export type Ended<Value> = { readonly cut: Cut | null } & (
  | { readonly type: 'value'; readonly value: Value }
  | { readonly type: 'thrown'; readonly thrown: unknown }
  | { readonly type: 'unfinished' }
)

/** What a step is told of its limit. */
export interface Limit {
  /** Fires when the step has to end. Made when it is first asked for: most steps never ask. */
  readonly signal: () => AbortSignal
  /** Whether the step has to end. */
  readonly isCut: () => boolean
  /** Ends the step from within. */
  cut(cut: Cut): void
}

export interface LimitOptions<Value> {
  readonly stopping: Stopping
  readonly timeoutMs: number
  /** What is said when the time is up. */
  readonly late: string
  /** How long the step may take to end after it was told to. Default 0: nobody waits. */
  readonly graceMs?: number
  /** Told what a step gave that was not waited for any more. */
  readonly abandoned?: (value: Value) => void
}

/**
 * Runs a step within a limit of time and as long as the run is not cancelled. Never rejects: this is where a throw of
 * provisioning, of an agent or of a jury becomes a value. A step that is left behind can do no harm by failing later.
 */
export function limited<Value>(
  options: LimitOptions<Value>,
  step: (limit: Limit) => Value | Promise<Value>,
): Promise<Ended<Value>> {
  const { stopping, timeoutMs, late, graceMs = 0, abandoned } = options
  if (stopping.cancelled !== null)
    return Promise.resolve({ type: 'unfinished', cut: { by: 'stop', message: stopping.cancelled } })
  return new Promise((resolve) => {
    let controller: AbortController | undefined
    let made: Cut | null = null
    let grace: NodeJS.Timeout | undefined
    let ended = false

    function end(result: Ended<Value>): void {
      if (ended) return
      ended = true
      inTime()
      clearTimeout(grace)
      release()
      resolve(result)
    }
    function cut(wanted: Cut): void {
      if (made !== null || ended) return
      made = wanted
      controller?.abort(new Error(wanted.message))
      if (graceMs === 0) end({ type: 'unfinished', cut: made })
      else grace = setTimeout(() => end({ type: 'unfinished', cut: made }), graceMs)
    }
    function succeed(value: Value): void {
      if (ended) abandoned?.(value)
      else end({ type: 'value', value, cut: made })
    }
    function fail(thrown: unknown): void {
      end({ type: 'thrown', thrown, cut: made })
    }
    const limit: Limit = {
      signal() {
        if (controller === undefined) {
          controller = new AbortController()
          if (made !== null) controller.abort(new Error(made.message))
        }
        return controller.signal
      },
      isCut: () => made !== null,
      cut,
    }

    const inTime = deadline(timeoutMs, () => cut({ by: 'time', message: late }))
    const release = stopping.onCancel((message) => cut({ by: 'stop', message }))
    begin(step, limit, succeed, fail)
  })
}

function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}

function begin<Value>(
  step: (limit: Limit) => Value | Promise<Value>,
  limit: Limit,
  succeed: (value: Value) => void,
  fail: (thrown: unknown) => void,
): void {
  try {
    const value = step(limit)
    if (value instanceof Promise) value.then(succeed, fail)
    else if (isThenable(value)) Promise.resolve(value).then(succeed, fail)
    else succeed(value)
  } catch (thrown) {
    fail(thrown)
  }
}
