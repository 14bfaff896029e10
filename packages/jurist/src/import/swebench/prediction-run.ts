import { createHash } from 'node:crypto'
import type { Agent } from '@jurist/core'
import { completed, type ExperimentOptions, errored, type Reporter, runExperiment, trialOf } from '@jurist/experiment'
import type { RunOverview } from '@jurist/experiment/internal/results'
import type { ResultStore } from '@jurist/experiment/store'
import { importedBefore, variantName } from '../traces/store-traces.js'
import { applyPatch } from './apply-patch.js'
import type { ModelPatches } from './predictions.js'

/** Patches that are judged as the work of an agent. */
interface PredictionRun extends ModelPatches {
  readonly experiment: ExperimentOptions
  readonly store: ResultStore
  readonly signal: AbortSignal
  readonly onEvent: Reporter
}

/** A run of recorded patches. */
export interface JudgedPatches {
  readonly model: string
  readonly run: RunOverview
  readonly isNew: boolean
}

/** Runs an experiment with recorded patches as its agent. The same patches for the same experiment are judged once; a run that was stopped is continued. */
export async function judgePatches(judging: PredictionRun): Promise<JudgedPatches> {
  const { model, patches, experiment, store, signal, onEvent } = judging
  const { name } = experiment
  const digest = digestOf([model, [...patches].sort()])
  const earlier = await importedBefore(store, name, digest)
  const known = earlier === undefined ? undefined : await store.overview(earlier)
  if (known !== undefined) return { model, run: known, isNew: false }
  const {
    agent: _agent,
    variants: _variants,
    matrix: _matrix,
    knowledge: _knowledge,
    hooks: _hooks,
    ...rest
  } = experiment
  const variant = variantName(model)
  const unfinished = await importedBefore(store, name, digest, false)
  const run = runExperiment<string>(
    {
      ...rest,
      ...{ store, repetitions: 1, bail: false },
      variants: { [variant]: { agent: recordedPatches(patches), model } },
      filter: { and: [experiment.filter ?? {}, { id: [...patches.keys()] }] },
      metadata: { ...experiment.metadata, import: { format: 'predictions', digest, model } },
    },
    { signal, onEvent, variant, ...(unfinished === undefined ? {} : { resume: unfinished }) },
  )
  return { model, run: await run.overview, isNew: true }
}

/**
 * An agent that applies the recorded patch of an item. A patch that is empty, or does not apply, is a failed trial and not
 * a failure of the infrastructure: it is not tried again, and nothing is judged.
 */
function recordedPatches(patches: ReadonlyMap<string, string>): Agent {
  return async function recordedPatch(task) {
    const { itemId = '' } = trialOf(task) ?? {}
    const patch = patches.get(itemId) ?? ''
    const applied = await applyPatch(task.workspace, patch, task.signal)
    const facts = { output: patch, phases: [{ name: 'agent', toolUses: [] }] }
    if ('by' in applied) return completed({ ...facts, metadata: { prediction: { appliedBy: applied.by } } })
    const refused = Object.assign(new Error(applied.refused), { name: 'PatchRefused', code: 'patch-refused' })
    return errored(refused, { ...facts, metadata: { prediction: { appliedBy: null } } })
  }
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}
