import type { ExperimentEvent, Reporter } from './events.js'
import { reporters } from './reporters.js'

/** What is told of a run: an event before it is stamped. */
type Told = ExperimentEvent extends infer Event
  ? Event extends ExperimentEvent
    ? Omit<Event, 'at' | 'runId'>
    : never
  : never

/** Tells an event of one run. */
export type Tell = (event: Told) => void

/** Events in the order in which they were told, for any number of reporters and iterators. */
export interface EventLog extends AsyncIterable<ExperimentEvent> {
  push(event: ExperimentEvent): void
  /** Calls `reporter` with every event from now on. One that throws or rejects is switched off with a warning. */
  listen(reporter: Reporter): void
  /** No more events: iterators end. Waits for what reporters have promised. */
  end(): Promise<void>
}

const capacity = 10_000

/**
 * A log that keeps the last 10,000 events. An iterator that comes too late for older ones gets a warning
 * (`events-dropped`) in their place. Telling costs next to nothing while nobody listens.
 */
export function eventLog(): EventLog {
  const ring: ExperimentEvent[] = []
  let waiting: (() => void)[] = []
  let told = 0
  let ended = false
  const listening = reporters(({ runId }, message) => {
    if (!ended) push({ at: now(), runId, type: 'warning', code: 'reporter-failed', message, itemId: null })
  })

  function push(event: ExperimentEvent): void {
    ring[told % capacity] = event
    told += 1
    if (waiting.length > 0) wake()
    listening.tell(event)
  }

  function wake(): void {
    const woken = waiting
    waiting = []
    for (const resolve of woken) resolve()
  }

  async function* replay(): AsyncGenerator<ExperimentEvent, void> {
    let position = 0
    let warned = false
    for (;;) {
      const missed = Math.max(0, told - capacity - position)
      position += missed
      const event = ring[position % capacity]
      if (position < told && event !== undefined) {
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
    listen: listening.add,
    async end() {
      ended = true
      wake()
      await listening.settle()
    },
    [Symbol.asyncIterator]: replay,
  }
}

function droppedWarning(missed: number, { at, runId }: ExperimentEvent): ExperimentEvent {
  const message = `${missed} earlier events are not kept any more: only the last ${capacity} are.`
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
