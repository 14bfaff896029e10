import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { failureOf } from '@jurist/core/internal'
import type { ItemFailure, ItemResult } from '../result/records.js'
import { trialKey, trialText } from '../result/trial-figures.js'
import { cancellation } from '../run/cancellation.js'
import type { ExperimentOptions } from '../run/experiment.js'
import { contextOfRun, type PriorAttempt, type RunContext } from '../run/run-context.js'
import { abandonedTrial, runTrial } from '../run/run-trial.js'
import type { Trial } from '../run/trials.js'
import { checkRunId } from '../store/names.js'
import type { LeasedTrial, QueuedRun, TrialLoss } from '../store/trial-queue.js'
import { type FittingRun, fitRun } from './fit-run.js'
import type { WorkerEvent } from './worker-events.js'

/** A run that a worker takes part in. */
export interface WorkerRun {
  /** The directory that the paths in its results lead from. */
  readonly directory: string
  /**
   * Runs a leased trial.
   *
   * @param stopping ends the trial early
   * @throws for a trial that the run does not have
   */
  perform(leased: LeasedTrial, stopping: AbortSignal): Promise<ItemResult>
  /** Removes what a trial left on this disk. */
  clear(item: ItemResult): Promise<void>
}

/**
 * Opens a run in a directory of this machine.
 *
 * @param root a directory of the worker
 * @param worker the id of the worker, which results name
 */
async function openWorkerRun(
  { queued, selected, trials, gitCommit }: FittingRun,
  root: string,
  { worker, warn }: { readonly worker: string; readonly warn: (message: string) => void },
): Promise<WorkerRun> {
  const { id, kind, experimentName } = queued.manifest
  const directory = join(root, experimentName, id)
  await mkdir(directory, { recursive: true })
  const shared = contextOfRun(selected, {
    ...{ kind, runId: id, directory },
    // A trial that was lost may run here a second time.
    resumed: true,
    cancellation: cancellation(),
    tell(event) {
      if (event.type === 'warning') warn(event.itemId === null ? event.message : `${event.itemId}: ${event.message}`)
    },
  })
  return {
    directory,
    async perform({ itemId, repetition, losses }, stopping) {
      const trial = trials.get(trialKey({ itemId, repetition })) ?? unknownTrial(id, { itemId, repetition })
      const item = await leasedTrial(stoppable(shared, stopping), trial, losses)
      return { ...item, metadata: { ...item.metadata, worker: { id: worker, gitCommit } } }
    },
    async clear({ workspacePath, journalPath }) {
      for (const path of [workspacePath, journalPath])
        if (path !== null) await rm(join(directory, path), { recursive: true, force: true })
    },
  }
}

/** The context for one trial, which can be ended alone. */
function stoppable(shared: RunContext, stopping: AbortSignal): RunContext {
  const own = cancellation()
  const stop = () => own.stop('cancelled', String(stopping.reason?.message ?? 'the trial was given up'))
  if (stopping.aborted) stop()
  else stopping.addEventListener('abort', stop, { once: true })
  return { ...shared, cancellation: own }
}

function unknownTrial(id: string, { itemId, repetition }: Pick<Trial, 'itemId' | 'repetition'>): never {
  throw new Error(`Run ${id} has no trial ${JSON.stringify(trialText({ itemId, repetition }))} here.`)
}

/** The number of lost workers after which a trial ends undecided. */
const maxLosses = 3

/**
 * Runs a trial that may have been lost with other workers before: each of them is an attempt of unknown cost. After three, the
 * trial ends undecided.
 */
async function leasedTrial(run: RunContext, trial: Trial, losses: readonly TrialLoss[]): Promise<ItemResult> {
  const earlier = losses.map((loss) => lostAttempt(loss))
  if (losses.length < maxLosses) return runTrial(run, trial, earlier)
  const message = `${earlier.length} workers were lost while they ran the trial. What it does may end the process: try the item alone.`
  return abandonedTrial(run, trial, earlier, failureOfLoss(message))
}

function lostAttempt({ worker, durationMs }: TrialLoss): PriorAttempt {
  const spent = { costUsd: null, usage: undefined, user: undefined, verdict: null }
  return { failure: failureOfLoss(`The worker ${worker} was lost while it ran the trial.`), durationMs, ...spent }
}

function failureOfLoss(message: string): ItemFailure {
  return { name: 'WorkerLost', message, code: 'worker-lost', origin: 'setup', infrastructure: true }
}

/** The runs that a worker has met. */
export interface JoinedRuns {
  /** Joins the open runs that fit. Returns their ids; runs that are no longer open are forgotten. */
  join(open: readonly QueuedRun[]): Promise<readonly string[]>
  /** A run that was joined. */
  of(run: string): WorkerRun | undefined
  /** Why it takes no trials of some runs. */
  refused(): { readonly [run: string]: string }
}

/** What runs are joined with. */
interface Joining {
  readonly experiments: readonly ExperimentOptions[]
  readonly labels: readonly string[]
  /** The id of the worker. */
  readonly worker: string
  /** A directory of the worker. */
  readonly root: string
  readonly emit: (event: WorkerEvent) => void
}

/** Joins runs; each is checked once. */
export function joinedRuns(joining: Joining): JoinedRuns {
  const { emit } = joining
  const met = new Map<string, WorkerRun | string>()

  return {
    async join(open) {
      for (const id of met.keys()) if (!open.some(({ manifest }) => manifest.id === id)) met.delete(id)
      for (const queued of open) {
        const { id, experimentName, variant } = queued.manifest
        if (met.has(id)) continue
        const run = await joined(queued, joining)
        met.set(id, run)
        if (typeof run === 'string') emit({ type: 'run-refused', run: id, reason: run })
        else emit({ type: 'run-joined', run: id, experimentName, variant })
      }
      return [...met].flatMap(([id, run]) => (typeof run === 'string' ? [] : [id]))
    },
    of(id) {
      const run = met.get(id)
      return typeof run === 'string' ? undefined : run
    },
    refused: () => Object.fromEntries([...met].flatMap(([id, run]) => (typeof run === 'string' ? [[id, run]] : []))),
  }
}

/** The run, or why it does not fit. */
async function joined(
  queued: QueuedRun,
  { experiments, labels, worker, root, emit }: Joining,
): Promise<WorkerRun | string> {
  const lacking = queued.labels.filter((label) => !labels.includes(label))
  if (lacking.length > 0) return `It needs ${lacking.join(', ')}: start the worker with --labels ${lacking.join(',')}.`
  try {
    // The id becomes a path.
    checkRunId(queued.manifest.id)
    const fitting = await fitRun(queued, experiments)
    return await openWorkerRun(fitting, root, { worker, warn: (message) => emit({ type: 'warning', message }) })
  } catch (thrown) {
    return failureOf(thrown).message
  }
}
