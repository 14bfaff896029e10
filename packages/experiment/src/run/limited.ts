import { type Soon, soon } from '@jurist/core'
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
 * Runs a step within a limit of time and as long as the run is not cancelled. Never throws or rejects: this is where a throw
 * of provisioning, of an agent or of a jury becomes a value. A step that is left behind can do no harm by failing later. How
 * a step ended that waited for nothing is there at once.
 */
export function limited<Value>(options: LimitOptions<Value>, step: (limit: Limit) => Soon<Value>): Soon<Ended<Value>> {
  const { stopping, timeoutMs, late, graceMs = 0, abandoned } = options
  if (stopping.cancelled !== null) return { type: 'unfinished', cut: { by: 'stop', message: stopping.cancelled } }
  const stop = latentSignal()
  let made: Cut | null = null
  let grace: NodeJS.Timeout | undefined
  let ended = null as Ended<Value> | null
  let told: (ended: Ended<Value>) => void = nothing

  function end(result: Ended<Value>): void {
    if (ended !== null) return
    ended = result
    inTime()
    clearTimeout(grace)
    release()
    told(result)
  }
  function cut(wanted: Cut): void {
    if (made !== null || ended !== null) return
    made = wanted
    stop.abort(wanted.message)
    const unfinished: Ended<Value> = { type: 'unfinished', cut: made }
    if (graceMs === 0) end(unfinished)
    else grace = setTimeout(end, graceMs, unfinished)
  }
  function succeed(value: Value): void {
    if (ended === null) end({ type: 'value', value, cut: made })
    else abandoned?.(value)
  }
  function fail(thrown: unknown): void {
    end({ type: 'thrown', thrown, cut: made })
  }
  const limit: Limit = { signal: stop.signal, isCut: () => made !== null, cut }

  const inTime = deadline(timeoutMs, () => cut({ by: 'time', message: late }))
  const release = stopping.onCancel((message) => cut({ by: 'stop', message }))
  try {
    soon(step(limit), succeed, fail)
  } catch (thrown) {
    fail(thrown)
  }
  return (
    ended ??
    new Promise((resolve) => {
      told = resolve
    })
  )
}

const nothing = (): void => {}

/** A signal that is made when it is first asked for. */
function latentSignal(): { readonly signal: () => AbortSignal; readonly abort: (message: string) => void } {
  let controller: AbortController | undefined
  let reason: Error | undefined
  return {
    signal() {
      controller ??= new AbortController()
      if (reason !== undefined) controller.abort(reason)
      return controller.signal
    },
    abort(message) {
      reason = new Error(message)
      controller?.abort(reason)
    },
  }
}
