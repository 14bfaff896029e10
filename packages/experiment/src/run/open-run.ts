import { failureOf, isThenable, type Soon } from '@jurist/core/internal'
import { longestTimerMs } from '@jurist/kit/timers'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { figuresOf } from '../result/trial-figures.js'
import type { ResultStore, RunWriter } from '../store/store.js'
import type { Bench } from './bench.js'
import { endRun } from './end-run.js'
import type { Tell } from './event-log.js'
import { gate } from './gate.js'
import { agentVariables } from './host.js'
import { classifier } from './infrastructure.js'
import { ledger } from './ledger.js'
import { manifestOf } from './manifest.js'
import { overlap } from './overlap.js'
import type { Prepared } from './prepare.js'
import { type OpenedRun, type Resumed, type ResumeOptions, resumeRun } from './resume.js'
import { runItem } from './run-item.js'
import { type Selection, trialsOf } from './selection.js'
import type { Stopping } from './stopping.js'
import { type Trial, trialKey } from './trial.js'

/** A run whose store is open, trial by trial. */
export interface OpenRun {
  /** What is left to run, in result order. */
  readonly trials: Iterable<Trial>
  /** Whether another trial may start; when not, the run is stopped. */
  mayStart(): boolean
  /**
   * Runs a trial. Ends when another may take its place: its agent and jury have ended, though it may not be stored yet.
   * Never fails: a failure of the store ends the run, and `finish` tells it.
   */
  perform(trial: Trial): Soon<void>
  /** Waits until every trial is stored, and ends the run. Rejects with what made it fail. */
  finish(): Promise<ExperimentResult>
}

/** What a run is opened with. */
export interface Opening {
  readonly prepared: Prepared
  readonly selection: Selection
  readonly store: ResultStore
  readonly runId: string
  readonly session: string | null
  /** The stored run that goes on, held; `null` for a new one. */
  readonly stored: OpenedRun | null
  readonly resuming: ResumeOptions
  /** What is said of its plan when it has begun. */
  readonly notices: readonly string[]
  readonly stopping: Stopping
  readonly tell: Tell
  /** Told the id of the run before its first event: it is another one when a run goes on. */
  readonly opened: (runId: string) => void
}

/** Opens the store for a run, or for the rest of one, and tells that it has begun. */
export async function openRun(opening: Opening): Promise<OpenRun> {
  const { prepared, stopping, tell } = opening
  const { settings } = prepared
  const beganMs = performance.now()
  const begun = await openWriter(opening)
  const { writer, taken, takenKeys, earlierMs } = begun
  const trials = trialsIn(opening)
  const finished = taken.map(figuresOf)
  let started = taken.length
  let failure: { readonly thrown: unknown } | null = null
  opening.opened(writer.runId)
  const bench = benchOf(opening, writer)
  announce(opening, trials, taken.length)
  stopping.onStop((reason, message) => tell({ type: 'experiment-stop', reason, message, remaining: trials - started }))
  const clock = experimentClock(settings.experimentTimeoutMs, stopping)
  // While some trials are on their way to the disk others run; with one at a time they follow each other.
  const settling = overlap(settings.concurrency > 1 ? settings.concurrency * 4 : 0)
  const books = ledger(settings, taken, ({ itemId }) =>
    bench.warn('budget-unpriced', 'A trial declares no cost: the budget in dollars cannot count it.', itemId),
  )

  return {
    trials: remainingTrials(opening, takenKeys),
    mayStart() {
      const exhausted = stopping.reason === null ? books.exhausted() : null
      if (exhausted !== null) stopping.stop(exhausted.reason, exhausted.message)
      return stopping.reason === null && stopping.cancelled === null
    },
    perform(trial) {
      started += 1
      books.started()
      const told = (result: ItemResult) => {
        const { itemId, repetition } = trial
        tell({ type: 'item-end', itemId, repetition, result, done: finished.push(figuresOf(result)), trials })
      }
      const fail = (thrown: unknown) => {
        failure ??= { thrown }
        stopping.abandon(`the run has failed: ${failureOf(thrown).message}`)
      }
      return settling.perform((examined) => recordTrial(bench, trial, { books, examined, told, fail }))
    },
    async finish() {
      await settling.end()
      clearTimeout(clock)
      const durationMs = earlierMs + performance.now() - beganMs
      return endRun({ writer, stopping, tell, finished, failure, trials, durationMs })
    },
  }
}

interface Begun extends Resumed {
  /** How long the run had taken before. */
  readonly earlierMs: number
}

async function openWriter(opening: Opening): Promise<Begun> {
  const { prepared, selection, store, runId, session, stored, resuming } = opening
  try {
    const manifest = await manifestOf(prepared, selection, { id: stored?.manifest.id ?? runId, session })
    if (stored === null)
      return { manifest, writer: await store.open(manifest), taken: [], takenKeys: new Set(), earlierMs: 0 }
    const resumed = await resumeRun(stored, manifest, selection, resuming)
    const began = Date.parse(resumed.manifest.startedAt)
    const earlierMs = resumed.taken.reduce((longest, item) => Math.max(longest, Date.parse(item.endedAt) - began), 0)
    return { ...resumed, earlierMs }
  } catch (thrown) {
    await stored?.writer.release()
    throw thrown
  }
}

/** How many trials the run is of: an item that was removed since counts as well when all its trials are stored. */
function trialsIn({ selection, prepared, stored, resuming }: Opening): number {
  const asked = selection.items.length * prepared.settings.repetitions
  return stored === null || resuming.widen ? asked : Math.max(asked, stored.manifest.planned)
}

function remainingTrials({ selection, prepared }: Opening, takenKeys: ReadonlySet<string>): Iterable<Trial> {
  const trials = trialsOf(selection.items, prepared.settings)
  return takenKeys.size === 0 ? trials : without(takenKeys, trials)
}

function* without(takenKeys: ReadonlySet<string>, trials: Iterable<Trial>): Generator<Trial, void> {
  for (const trial of trials) if (!takenKeys.has(trialKey(trial))) yield trial
}

function announce({ selection, prepared, notices, tell }: Opening, trials: number, resumed: number): void {
  const { name, variant } = prepared.settings
  tell({ type: 'experiment-start', experimentName: name, variant, trials, resumed })
  for (const message of notices) tell({ type: 'warning', code: 'plan-stored', message, itemId: null })
  for (const { file, field, problem, remedy, item } of selection.problems) {
    const place = field === null ? file : `${file} ${field}`
    tell({ type: 'warning', code: 'dataset-warning', message: `${place}: ${problem} ${remedy}`, itemId: item })
  }
}

function benchOf({ prepared, stopping, tell, stored }: Opening, writer: RunWriter): Bench {
  const { settings, provision, knowledge } = prepared
  const warn: Bench['warn'] = (code, message, itemId) => tell({ type: 'warning', code, message, itemId })
  return {
    runId: writer.runId,
    settings,
    jury: settings.jury,
    provision,
    knowledge,
    env: agentVariables(settings.environment),
    directory: writer.directory,
    preserve: settings.preserve ?? (writer.directory === null ? 'none' : 'all'),
    resumed: stored !== null,
    stopping,
    judging: gate(settings.judgeConcurrency),
    tell,
    warn,
    classify: classifier(settings.retries, (code, message) => warn(code, message, null)),
    append: writer.append,
  }
}

function experimentClock(timeoutMs: number | null, stopping: Stopping): NodeJS.Timeout | undefined {
  // Timers overflow at 2^31 ms; a limit beyond 24 days is none.
  if (timeoutMs === null || timeoutMs > longestTimerMs) return undefined
  const message = `the experiment did not end within ${timeoutMs} ms`
  return setTimeout(() => stopping.stop('experiment-timeout', message), timeoutMs)
}

interface Recording {
  readonly books: Pick<ReturnType<typeof ledger>, 'finished'>
  /** Another trial may begin. */
  readonly examined: () => void
  /** The trial is stored. */
  readonly told: (result: ItemResult) => void
  readonly fail: (thrown: unknown) => void
}

/** Runs a trial until it is stored, and accounts for it as soon as it is examined. */
function recordTrial(bench: Bench, trial: Trial, { books, examined, told, fail }: Recording): Soon<void> {
  try {
    const stored = runItem(bench, trial, (item) => {
      books.finished(item)
      examined()
    })
    return isThenable(stored) ? stored.then(told).then(undefined, fail) : told(stored)
  } catch (thrown) {
    fail(thrown)
  }
}
