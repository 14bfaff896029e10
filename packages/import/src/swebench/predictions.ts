import type { Agent } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { completed, type ExperimentOptions, errored, type Reporter, runExperiment, trialOf } from '@jurist/experiment'
import { checkFields, record } from '@jurist/experiment/internal/fields'
import type { RunOverview } from '@jurist/experiment/internal/results'
import type { ResultStore } from '@jurist/experiment/store'
import * as v from 'valibot'
import { placed } from '../traces/checked.js'
import { digestOf, storedOnce, variantName } from '../traces/store-traces.js'
import type { TraceDocument } from '../traces/trace-files.js'
import { applyPatch } from './apply-patch.js'

/** The patches of one model, by instance id; `''` if it gave none. */
export interface ModelPatches {
  readonly model: string
  readonly patches: ReadonlyMap<string, string>
}

type ReadPredictions =
  | { readonly models: readonly ModelPatches[]; readonly notes: readonly string[] }
  | { readonly problems: readonly string[] }

const mostPredictions = 100_000
const mostPatchCharacters = 20_000_000

/** Reads predictions: an array, one per line, or an object by instance. Reports every problem. */
export function readPredictions(documents: readonly TraceDocument[]): ReadPredictions {
  const rows = documents.flatMap(rowsOf)
  if (rows.length === 0) return { problems: ['it has no prediction'] }
  if (rows.length > mostPredictions)
    return { problems: [`it has ${rows.length} predictions, and at most ${mostPredictions} are read`] }
  const problems: string[] = []
  const models = new Map<string, Map<string, string>>()
  const unknown = new Map<string, number>()
  for (const { value, place } of rows) {
    const wrong = (problem: string) => problems.push(placed(place, problem))
    const { value: read, issues } = checkFields(schema, value)
    for (const { field, problem } of issues) wrong(`${field} ${problem}`.replace(/\.$/, '').trim())
    if (read === undefined) continue
    const { instance_id: id, model_name_or_path: model, model_patch: patch } = read
    const patches = models.get(model) ?? new Map<string, string>()
    models.set(model, patches)
    if (patches.has(id)) wrong(`${id} occurs more than once for ${model}`)
    patches.set(id, patch ?? '')
    for (const name of Object.keys(read).filter((name) => !fields.has(name)))
      unknown.set(name, (unknown.get(name) ?? 0) + 1)
  }
  if (problems.length > 0) return { problems }
  const notes = [...unknown].map(([name, count]) => `${name}: unknown (${count} of ${rows.length} predictions)`)
  return { models: [...models].map(([model, patches]) => ({ model, patches })), notes }
}

function rowsOf({ value, place }: TraceDocument): readonly TraceDocument[] {
  const listed = (entries: readonly (readonly [string | number, unknown])[]) =>
    entries.map(([at, one]) => ({ value: one as TraceDocument['value'], place: `[${at}]` }))
  if (Array.isArray(value)) return listed([...value.entries()])
  const isOne = !isPlainObject(value) || Object.hasOwn(value, 'instance_id')
  return isOne || place !== '' ? [{ value, place }] : listed(Object.entries(value))
}

const id = 'must be a string of 1 to 200 characters'
const patch = `must be a patch of at most ${mostPatchCharacters} characters, or null`
const entries = {
  instance_id: v.pipe(v.string(id), v.minLength(1, id), v.maxLength(200, id)),
  model_name_or_path: v.pipe(
    v.string(id),
    v.check((model) => model.trim() !== '' && model.length <= 200, id),
  ),
  model_patch: v.nullable(v.pipe(v.string(patch), v.maxLength(mostPatchCharacters, patch))),
}
const schema = v.pipe(record, v.looseObject(entries))
const fields: ReadonlySet<string> = new Set(Object.keys(entries))

/** The settings for judging patches as the work of an agent. */
interface PredictionRun extends ModelPatches {
  readonly experiment: ExperimentOptions
  readonly store: ResultStore
  readonly signal: AbortSignal
  readonly onEvent: Reporter
}

export interface JudgedPatches {
  readonly model: string
  readonly run: RunOverview
  readonly isNew: boolean
}

/**
 * Runs an experiment with recorded patches as its agent. The same patches for the same experiment are judged once. An
 * interrupted run continues.
 */
export async function judgePatches(judging: PredictionRun): Promise<JudgedPatches> {
  const { model, patches, experiment, store, signal, onEvent } = judging
  const { name } = experiment
  const digest = digestOf([model, [...patches].sort()])
  const {
    agent: _agent,
    variants: _variants,
    matrix: _matrix,
    knowledge: _knowledge,
    hooks: _hooks,
    ...rest
  } = experiment
  const variant = variantName(model)
  const stored = await storedOnce({ store, name, digest }, (resume) =>
    runExperiment<string>(
      {
        ...rest,
        ...{ store, repetitions: 1, bail: false },
        variants: { [variant]: { agent: recordedPatches(patches), model } },
        filter: { and: [experiment.filter ?? {}, { id: [...patches.keys()] }] },
        metadata: { ...experiment.metadata, import: { format: 'predictions', digest, model } },
      },
      { signal, onEvent, variant, resume },
    ),
  )
  return { model, ...stored }
}

/**
 * Returns an agent that applies the recorded patch of an item. If the patch is empty or does not apply, the trial has
 * failed: it is not retried as an infrastructure failure, and nothing is judged.
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
