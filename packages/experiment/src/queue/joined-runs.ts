import { failureOf } from '@jurist/core/internal'
import type { ExperimentOptions } from '../run/experiment.js'
import { checkRunId } from '../store/names.js'
import type { QueuedRun } from '../store/trial-queue.js'
import { fitRun } from './fit-run.js'
import type { WorkerEvent } from './worker-events.js'
import { openWorkerRun, type WorkerRun } from './worker-run.js'

/** The runs that a worker has met. */
export interface JoinedRuns {
  /** Joins the open runs that fit. Returns their ids; runs that are not open any more are forgotten. */
  join(open: readonly QueuedRun[]): Promise<readonly string[]>
  /** A run that was joined. */
  of(run: string): WorkerRun | undefined
  /** Why it takes no trials of some runs. */
  refused(): { readonly [run: string]: string }
}

/** What runs are joined with. */
export interface Joining {
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
