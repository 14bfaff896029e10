import type { OpenRun } from './open-run.js'
import type { Trial } from './trial.js'

/** Runs what is left of some runs, `concurrency` trials at once in all, until each has ended or may not go on. */
export async function performAll(runs: readonly OpenRun[], concurrency: number): Promise<void> {
  const jobs = inTurn(runs)
  async function work(): Promise<void> {
    for (const { run, trial } of jobs) await run.perform(trial)
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}

interface Job {
  readonly run: OpenRun
  readonly trial: Trial
}

/** The trials of several runs by their place: the first of every run, the second of every run, and so on. */
function* inTurn(runs: readonly OpenRun[]): Generator<Job, void> {
  const queues = runs.map((run) => ({ run, trials: run.trials[Symbol.iterator](), next: null as Trial | null }))
  for (;;) {
    let first: (typeof queues)[number] | undefined
    for (const queue of queues) {
      queue.next ??= nextOf(queue.trials)
      if (queue.next === null) continue
      // Asked just before a trial starts: what was spent by then counts.
      if (first === undefined || queue.next.index < (first.next?.index ?? 0)) first = queue
    }
    const trial = first?.next
    if (first === undefined || trial === undefined || trial === null) return
    first.next = null
    if (first.run.mayStart()) yield { run: first.run, trial }
    else queues.splice(queues.indexOf(first), 1)
  }
}

function nextOf(trials: Iterator<Trial, void>): Trial | null {
  const { done, value } = trials.next()
  return done === true ? null : value
}
