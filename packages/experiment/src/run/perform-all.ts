import { setImmediate } from 'node:timers/promises'
import { isThenable } from '@jurist/core/internal'
import type { OpenRun } from './open-run.js'
import type { Trial } from './trial.js'

/** Runs what is left of some runs, `concurrency` trials at once in all, until each has ended or may not go on. */
export async function performAll(runs: readonly OpenRun[], concurrency: number): Promise<void> {
  const next = inTurn(runs)
  const turns = turnCounter()
  async function work(): Promise<void> {
    for (let job = next(); job !== null; job = next()) {
      const turn = turns.current()
      const performed = job.run.perform(job.trial)
      if (isThenable(performed)) await performed
      if (turns.current() === turn) await turns.next()
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}

/**
 * Counts turns of the event loop. Trials that wait for nothing would follow each other within one turn, while what is ready
 * goes to the disk only in the next; those that waited need not wait again.
 */
function turnCounter(): { readonly current: () => number; readonly next: () => Promise<void> } {
  let count = 0
  let coming: Promise<void> | undefined
  const next = () => {
    coming ??= setImmediate().then(() => {
      coming = undefined
      count += 1
    })
    return coming
  }
  return {
    next,
    current() {
      void next()
      return count
    },
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
  let queues = runs.map((run): Queue => ({ run, trials: run.trials[Symbol.iterator](), next: null }))
  return function next() {
    for (;;) {
      const queue = firstOf(queues)
      if (queue === null || queue.next === null) return null
      const { run, next: trial } = queue
      queue.next = null
      // Asked just before a trial starts: what was spent by then counts.
      if (run.mayStart()) return { run, trial }
      queues = queues.filter((other) => other !== queue)
    }
  }
}

/** The queue whose next trial comes first; the earlier run counts. */
function firstOf(queues: readonly Queue[]): Queue | null {
  let first: Queue | null = null
  for (const queue of queues) {
    queue.next ??= queue.trials.next().value ?? null
    if (queue.next === null) continue
    if (first?.next === undefined || first.next === null || queue.next.index < first.next.index) first = queue
  }
  return first
}
