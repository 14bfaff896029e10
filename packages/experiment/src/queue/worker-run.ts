import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ItemResult } from '../result/records.js'
import { cancellation } from '../run/cancellation.js'
import { contextOfRun, type RunContext } from '../run/run-context.js'
import { type Trial, trialKey } from '../run/trials.js'
import type { LeasedTrial } from '../store/trial-queue.js'
import type { FittingRun } from './fit-run.js'
import { leasedTrial } from './leased-trial.js'

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
export async function openWorkerRun(
  { queued, prepared, selection, trials, gitCommit }: FittingRun,
  root: string,
  { worker, warn }: { readonly worker: string; readonly warn: (message: string) => void },
): Promise<WorkerRun> {
  const { id, kind, experimentName } = queued.manifest
  const directory = join(root, experimentName, id)
  await mkdir(directory, { recursive: true })
  const shared = contextOfRun({
    ...{ prepared, selection, kind, runId: id, directory },
    // A trial that was lost may run here a second time.
    resumed: true,
    cancellation: cancellation(),
    tell(event) {
      if (event.type === 'warning') warn(event.itemId === null ? event.message : `${event.itemId}: ${event.message}`)
    },
    append: async () => undefined,
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
  throw new Error(`Run ${id} has no trial ${JSON.stringify(itemId)} #${repetition} here.`)
}
