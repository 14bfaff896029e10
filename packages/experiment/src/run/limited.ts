import { isThenable, type Soon } from '@jurist/core/internal'
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
  /** When its time began, by the monotonic clock. Default: now. */
  readonly startedMs?: number
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
 * a step ended that waited for nothing is there at once: neither clock nor brake could have come between.
 */
export function limited<Value>(options: LimitOptions<Value>, step: (limit: Limit) => Soon<Value>): Soon<Ended<Value>> {
  const { stopping, graceMs = 0, abandoned } = options
  if (stopping.cancelled !== null) return { type: 'unfinished', cut: { by: 'stop', message: stopping.cancelled } }
  const { startedMs = performance.now() } = options
  const watch = watchOver(stopping)
  let ended: Ended<Value>
  try {
    const given = step(watch)
    if (isThenable(given)) return waitedFor(given, watch, { ...options, startedMs })
    ended = { type: 'value', value: given, cut: watch.end() }
  } catch (thrown) {
    ended = { type: 'thrown', thrown, cut: watch.end() }
  }
  if (ended.cut === null || graceMs > 0) return ended
  if (ended.type === 'value') abandoned?.(ended.value)
  return { type: 'unfinished', cut: ended.cut }
}

interface Waiting<Value> extends LimitOptions<Value> {
  /** By the monotonic clock. */
  readonly startedMs: number
}

/** The end of a step that takes its time. */
function waitedFor<Value>(
  given: PromiseLike<Value>,
  watch: Watch,
  { startedMs, timeoutMs, late, graceMs = 0, abandoned }: Waiting<Value>,
): Promise<Ended<Value>> {
  return new Promise((resolve) => {
    let over = false
    let grace: NodeJS.Timeout | undefined
    function end(ended: Ended<Value>): void {
      if (over) return
      over = true
      inTime()
      clearTimeout(grace)
      watch.end()
      resolve(ended)
    }
    const leftMs = timeoutMs - (performance.now() - startedMs)
    const inTime = deadline(leftMs, () => watch.cut({ by: 'time', message: late }))
    watch.onCut((cut) => {
      const unfinished: Ended<Value> = { type: 'unfinished', cut }
      if (graceMs === 0) end(unfinished)
      else grace = setTimeout(end, graceMs, unfinished)
    })
    Promise.resolve(given).then(
      (value) => (over ? abandoned?.(value) : end({ type: 'value', value, cut: watch.made() })),
      (thrown: unknown) => end({ type: 'thrown', thrown, cut: watch.made() }),
    )
  })
}

/** A limit as its keeper sees it. */
interface Watch extends Limit {
  /** What ended the step, if something did. */
  readonly made: () => Cut | null
  /** Calls `listener` when the step has to end, or at once when it has to already. */
  onCut(listener: (cut: Cut) => void): void
  /** The step is over: nothing ends it any more. Gives what had. */
  end(): Cut | null
}

/** Watches the brake of the run from the moment when somebody asks: most steps are over before anybody does. */
function watchOver(stopping: Stopping): Watch {
  let made: Cut | null = null
  let over = false
  let listener: (cut: Cut) => void = nothing
  let release: (() => void) | undefined
  let controller: AbortController | undefined

  function cut(wanted: Cut): void {
    if (made !== null || over) return
    made = wanted
    controller?.abort(new Error(wanted.message))
    listener(wanted)
  }
  function watchBrake(): void {
    if (!over) release ??= stopping.onCancel((message) => cut({ by: 'stop', message }))
  }
  return {
    cut,
    made: () => made,
    isCut: () => made !== null || (!over && stopping.cancelled !== null),
    signal() {
      watchBrake()
      if (controller !== undefined) return controller.signal
      controller = new AbortController()
      if (made !== null) controller.abort(new Error(made.message))
      return controller.signal
    },
    onCut(told) {
      watchBrake()
      listener = told
      if (made !== null) told(made)
    },
    end() {
      if (stopping.cancelled !== null) watchBrake()
      over = true
      release?.()
      return made
    },
  }
}

const nothing = (): void => {}
