import type { OpenRun } from './open-run.js'
import type { Trial } from './run-context.js'

/** Runs the remaining trials of some runs, `concurrency` at a time in all, until each run has ended or must stop. */
export async function performAll(runs: readonly OpenRun[], concurrency: number): Promise<void> {
  const next = inTurn(runs)
  async function work(): Promise<void> {
    for (let job = next(); job !== null; job = next()) {
      await job.run.perform(job.trial)
      // Trials that wait for nothing would keep timers, signals and the disk waiting.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
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
 * A function that returns the next trial of several runs: the first of every run, the second of every run, and so on;
 * `null` when no trial is left that may start.
 */
function inTurn(runs: readonly OpenRun[]): () => Job | null {
  let queues = runs.map((run): Queue => ({ run, trials: run.trials[Symbol.iterator](), next: null }))
  return function next() {
    for (;;) {
      const queue = firstOf(queues)
      if (queue === null || queue.next === null) return null
      const { run, next: trial } = queue
      queue.next = null
      // Checked just before a trial starts, so that everything spent by then counts.
      if (run.mayStart()) return { run, trial }
      queues = queues.filter((other) => other !== queue)
    }
  }
}

/** The queue whose next trial comes first; of equals, that of the earlier run. */
function firstOf(queues: readonly Queue[]): Queue | null {
  let first: Queue | null = null
  for (const queue of queues) {
    queue.next ??= queue.trials.next().value ?? null
    if (queue.next === null) continue
    if (first?.next === undefined || first.next === null || queue.next.index < first.next.index) first = queue
  }
  return first
}
