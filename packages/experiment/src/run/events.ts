import type { JournalEvent, Judgment } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { withTimeout } from '@jurist/kit/timers'
import type { ItemFailure, ItemResult, RunStatus, StopReason } from '../result/records.js'
import type { RunKind } from '../result/run-kind.js'
import type { Summary } from '../result/summary.js'

/**
 * The events of a run: first one `experiment-start`, last one `experiment-end`; for each trial `item-start` (one for each
 * attempt) to `item-end`, in order. The trial is durable when `item-end` is emitted.
 */
export type ExperimentEvent = {
  /** ISO 8601. */
  readonly at: string
  readonly runId: string
} & (
  | {
      readonly type: 'experiment-start'
      readonly experimentName: string
      readonly kind: RunKind
      readonly variant: string | null
      readonly trials: number
      /** Trials taken over from the run that is resumed. */
      readonly resumed: number
      /** Why its trials start in another order than that of the dataset; absent where they do not. */
      readonly startOrder?: string
    }
  | ({ readonly type: 'item-start'; readonly attempt: number } & TrialPlace)
  | ({ readonly type: 'item-phase'; readonly phase: TrialPhase } & TrialPlace)
  | ({ readonly type: 'journal'; readonly event: JournalEvent } & TrialPlace)
  | ({
      readonly type: 'judgment'
      /** RFC 6901 pointer of names within the verdict; `''` is the whole. */
      readonly path: string
      readonly judgment: Judgment
    } & TrialPlace)
  | ({
      readonly type: 'item-retry'
      /** The attempt that failed. */
      readonly attempt: number
      readonly failure: ItemFailure
      readonly delayMs: number
    } & TrialPlace)
  | ({
      readonly type: 'item-end'
      readonly result: ItemResult
      /** Trials that have ended, the resumed ones included. */
      readonly done: number
      readonly trials: number
    } & TrialPlace)
  | {
      /** In a run that stops when it is decided, after an item that counts: its evidence against the line where it stops. */
      readonly type: 'evidence'
      readonly items: number
      readonly planned: number
      readonly evidence: number
      readonly line: number
    }
  | { readonly type: 'warning'; readonly code: string; readonly message: string; readonly itemId: string | null }
  | {
      readonly type: 'experiment-stop'
      readonly reason: StopReason
      /** Why, as a sentence. */
      readonly message: string
      readonly remaining: number
    }
  | { readonly type: 'experiment-end'; readonly status: RunStatus; readonly summary: Summary }
)

/** The trial that an event belongs to. */
export interface TrialPlace {
  readonly itemId: string
  readonly repetition: number
}

/** The steps of a trial that have events. */
export type TrialPhase = 'setup' | 'agent' | 'jury' | 'store'

/** Gets the events of a run. A reporter that throws is switched off with a warning; it never fails a run. */
export type Reporter = (event: ExperimentEvent) => void | Promise<void>

/** An event before it gets its time and its run id. */
type EventFields = ExperimentEvent extends infer Event
  ? Event extends ExperimentEvent
    ? Omit<Event, 'at' | 'runId'>
    : never
  : never

export type Tell = (event: EventFields) => void

/** Events in the order in which they happened, for any number of reporters and iterators. */
export interface EventLog extends AsyncIterable<ExperimentEvent> {
  push(event: ExperimentEvent): void
  /** Calls `reporter` with every event from now on. A reporter that throws or rejects is switched off with a warning. */
  listen(reporter: Reporter): void
  /** Ends all iterators. Waits for the promises of reporters. */
  end(): Promise<void>
}

const capacity = 10_000
/** Keeping more events that no iterator reads would be most of the work of garbage collection. */
const capacityBeforeIteration = 1_000
/** A reporter follows the run: an iterator as well is rare. */
const capacityBesideReporters = 100

/**
 * A log that keeps the last 1,000 events, or 100 where there is a reporter, and the last 10,000 once there is an iterator. An
 * iterator that comes too late for older ones gets a warning (`events-dropped`) instead.
 */
export function eventLog(): EventLog {
  const recent = recentEvents()
  let waiting: (() => void)[] = []
  let ended = false
  const listening = reporters(({ runId }, message) => {
    if (!ended) push({ at: now(), runId, type: 'warning', code: 'reporter-failed', message, itemId: null })
  })

  function push(event: ExperimentEvent): void {
    recent.add(event)
    if (waiting.length > 0) wake()
    listening.tell(event)
  }

  function wake(): void {
    const woken = waiting
    waiting = []
    for (const resolve of woken) resolve()
  }

  async function* replay(): AsyncGenerator<ExperimentEvent, void> {
    recent.keep(capacity)
    let position = 0
    let warned = false
    for (;;) {
      const missed = Math.max(0, recent.oldest() - position)
      position += missed
      const event = recent.at(position)
      if (event !== undefined) {
        if (missed > 0 && !warned) yield droppedWarning(missed, event)
        warned ||= missed > 0
        position += 1
        yield event
      } else if (ended) return
      else await new Promise<void>((resolve) => waiting.push(resolve))
    }
  }

  return {
    push,
    listen(reporter) {
      recent.keep(capacityBesideReporters)
      listening.add(reporter)
    },
    async end() {
      ended = true
      wake()
      await listening.settle()
    },
    [Symbol.asyncIterator]: replay,
  }
}

interface RecentEvents {
  add(event: ExperimentEvent): void
  /** The event at a position, counted from 0; `undefined` if it has not happened yet. */
  at(position: number): ExperimentEvent | undefined
  /** The position of the oldest event that is kept. */
  oldest(): number
  /** Sets how many events are kept from now on. Ignored once an iterator has raised the number to its maximum. */
  keep(events: number): void
}

function recentEvents(): RecentEvents {
  const ring: (ExperimentEvent | undefined)[] = []
  let kept = capacityBeforeIteration
  let count = 0
  let oldest = 0
  return {
    add(event) {
      ring[count % capacity] = event
      count += 1
      for (; count - oldest > kept; oldest += 1) if (kept < capacity) ring[oldest % capacity] = undefined
    },
    at: (position) => (position < count ? ring[position % capacity] : undefined),
    oldest: () => oldest,
    keep(events) {
      if (kept < capacity) kept = events
    },
  }
}

function droppedWarning(missed: number, { at, runId }: ExperimentEvent): ExperimentEvent {
  const message = `${missed} earlier events are not kept: only the latest are.`
  return { at, runId, type: 'warning', code: 'events-dropped', message, itemId: null }
}

let lastMs = Number.NaN
let lastInstant = ''

/** The present instant as ISO 8601. Formatting is slow, and many events share a millisecond: the last string is kept. */
export function now(): string {
  const ms = Date.now()
  if (ms !== lastMs) {
    lastMs = ms
    lastInstant = new Date(ms).toISOString()
  }
  return lastInstant
}

/** Functions that get every event as it happens. */
interface Reporters {
  add(reporter: Reporter): void
  tell(event: ExperimentEvent): void
  /** Waits for the promises of reporters, 10 seconds at most. */
  settle(): Promise<void>
}

const graceMs = 10_000

/**
 * Calls reporters. One that throws or rejects is switched off.
 *
 * @param switchedOff called with the event that failed, and the reason
 */
function reporters(switchedOff: (event: ExperimentEvent, message: string) => void): Reporters {
  const listening = new Set<Reporter>()
  const promised = new Set<Promise<void>>()

  function fail(reporter: Reporter, event: ExperimentEvent, thrown: unknown): void {
    if (!listening.delete(reporter)) return
    switchedOff(event, `A reporter failed and gets no more events: ${failureOf(thrown).message}`)
  }

  function report(reporter: Reporter, event: ExperimentEvent): void {
    try {
      const promise = reporter(event)
      if (promise === undefined) return
      const settled: Promise<void> = Promise.resolve(promise)
        .catch((thrown: unknown) => fail(reporter, event, thrown))
        .finally(() => promised.delete(settled))
      promised.add(settled)
    } catch (thrown) {
      fail(reporter, event, thrown)
    }
  }

  return {
    add: (reporter) => void listening.add(reporter),
    tell(event) {
      for (const reporter of listening) report(reporter, event)
    },
    async settle() {
      if (promised.size > 0) await withTimeout(Promise.all(promised), graceMs, () => {})
    },
  }
}
