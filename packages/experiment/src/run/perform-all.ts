import { setImmediate } from 'node:timers/promises'
import type { OpenRun } from './open-run.js'
import type { Trial } from './trial.js'

/** Runs what is left of some runs, `concurrency` trials at once in all, until each has ended or may not go on. */
export async function performAll(runs: readonly OpenRun[], concurrency: number): Promise<void> {
  const next = inTurn(runs)
  const nextTurn = turns()
  async function work(): Promise<void> {
    for (let job = next(); job !== null; job = next()) {
      await job.run.perform(job.trial)
      await nextTurn()
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}

/**
 * A function that waits for the next turn of the event loop, one wait for all who ask within a turn. Trials that wait for
 * nothing would follow each other within one turn, while what is ready goes to the disk only in the next.
 */
function turns(): () => Promise<void> {
  let next: Promise<void> | undefined
  return () => {
    next ??= setImmediate().then(() => {
      next = undefined
    })
    return next
  }
}

interface Job {
  readonly run: OpenRun
  readonly trial: Trial
}

interface Queue {
  readonly run: OpenRun
  readonly trials: Iterator<Trial, void>
  next: Trial | null
}

/**
 * A function that gives the trials of several runs by their place: the first of every run, the second of every run, and so
 * on; `null` when none is left that may start.
 */
function inTurn(runs: readonly OpenRun[]): () => Job | null {
  const queues = new Set(runs.map((run): Queue => ({ run, trials: run.trials[Symbol.iterator](), next: null })))
  return function next() {
    for (;;) {
      const queue = firstOf(queues)
      if (queue === null || queue.next === null) return null
      const { run, next: trial } = queue
      queue.next = null
      // Asked just before a trial starts: what was spent by then counts.
      if (run.mayStart()) return { run, trial }
      queues.delete(queue)
    }
  }
}

/** The queue whose next trial comes first; the earlier run counts. */
function firstOf(queues: ReadonlySet<Queue>): Queue | null {
  let first: Queue | null = null
  for (const queue of queues) {
    queue.next ??= queue.trials.next().value ?? null
    if (queue.next === null) continue
    if (first?.next === undefined || first.next === null || queue.next.index < first.next.index) first = queue
  }
  return first
}
