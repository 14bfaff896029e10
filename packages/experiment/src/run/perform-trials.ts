import type { ItemResult, StopReason } from '../result/records.js'
import { exhausted, spentBy, withTrial } from '../result/spending.js'
import type { RunOverview } from '../result/trial-figures.js'
import type { RunContext } from './run-context.js'
import { type JudgedTrial, judgedTrial, storeTrial } from './run-item.js'
import { type Settings, spendingLimits } from './settings.js'
import type { Trial } from './trials.js'

/** A run whose store is open, trial by trial. */
export interface OpenRun {
  /** The trials that are left to run, in result order. */
  readonly trials: Iterable<Trial>
  /** Whether another trial may start; when not, the run is stopped. */
  mayStart(): boolean
  /**
   * Runs a trial. Resolves when another may start: agent and jury have ended, but the trial may not be stored yet. Never
   * rejects: a failure of the store ends the run, and `finish` rejects with it.
   */
  perform(trial: Trial): Promise<void>
  /** Waits until every trial is stored, and ends the run. Rejects with the error that made it fail. */
  finish(): Promise<RunOverview>
}

/** What follows each trial. */
interface Following {
  readonly budget: Pick<BudgetTracker, 'finished'>
  readonly behind: WriteBehind
  readonly stored: (result: ItemResult) => void
  readonly fail: (thrown: unknown) => void
}

/** Runs a trial; its cost counts before it is stored. */
export async function performTrial(run: RunContext, trial: Trial, following: Following): Promise<void> {
  try {
    const judged = await judgedTrial(run, trial)
    following.budget.finished(judged.item)
    await following.behind.add(record(run, judged, following))
  } catch (thrown) {
    following.fail(thrown)
  }
}

async function record(run: RunContext, judged: JudgedTrial, { stored, fail }: Following): Promise<void> {
  try {
    stored(await storeTrial(run, judged))
  } catch (thrown) {
    fail(thrown)
  }
}

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

/** Lets trials that have been judged be stored while other trials run. */
interface WriteBehind {
  /**
   * Takes a trial that is being stored, whose promise must not reject. Resolves immediately while fewer than the limit are
   * being stored; otherwise when this trial is stored.
   */
  add(stored: Promise<void>): Promise<void>
  /** Waits for the trials that nothing else waits for. */
  end(): Promise<void>
}

/** Lets up to `limit` trials be stored while others run. 0: each trial is stored before the next one starts. */
export function writeBehind(limit: number): WriteBehind {
  const behind = new Set<Promise<void>>()
  return {
    async add(stored) {
      if (behind.size >= limit) return stored
      behind.add(stored)
      void stored.then(() => behind.delete(stored))
    },
    async end() {
      await Promise.all(behind)
    },
  }
}

/** Adds up what a run spends and how often it fails, and decides when it must stop. */
interface BudgetTracker {
  /** Called when a trial starts. */
  started(): void
  /** Called when a trial that started has ended, before the next one may start. */
  finished(item: ItemResult): void
  /** Why the next trial must not start; `null` if it may. */
  exhausted(): { readonly reason: StopReason; readonly message: string } | null
}

/**
 * Tracks the cost and the failures of a run.
 *
 * @param stored the stored trials of a resumed run: their cost counts, and their failures unless these had stopped the run
 * @param unpriced called once, if there is a budget in dollars and a trial declares no cost
 */
export function budgetTracker(
  settings: Pick<Settings, 'budget' | 'bailAfter' | 'outageAfter'>,
  stored: readonly ItemResult[],
  unpriced: (item: ItemResult) => void,
): BudgetTracker {
  const limits = spendingLimits(settings)
  let spent = spentBy(stored, limits)
  let running = 0
  let warned = false

  function noteUnpriced(item: ItemResult): void {
    if (limits.usd === null || warned || item.costUsd !== null || item.agent === 'setup-error') return
    warned = true
    unpriced(item)
  }

  stored.forEach(noteUnpriced)

  return {
    started() {
      running += 1
    },
    finished(item) {
      running -= 1
      spent = withTrial(spent, item, limits)
      noteUnpriced(item)
    },
    exhausted: () => exhausted(limits, spent, running),
  }
}
