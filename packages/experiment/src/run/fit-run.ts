import { type Json, JuristError } from '@jurist/core'
import type { ConditionDifference } from '../errors.js'
import { trialKey } from '../result/trial-figures.js'
import type { RunManifest } from '../store/store.js'
import type { QueuedRun } from '../store/trial-queue.js'
import { manifestOf, prepare, type Selected, select } from './check-run.js'
import { withMatrix } from './define-experiment.js'
import type { Experiment, ExperimentOptions } from './experiment.js'
import { modelUsersIn, refuseMissingKeys } from './models.js'
import { manifestDifferences } from './resume.js'
import { settingsAsPlanned } from './settings.js'
import { settingsOfPlan, storedPlan, type Trial, trialsOf } from './trials.js'

/** A run in which this process can take part: it would be planned the same way here. */
export interface FittingRun {
  readonly queued: QueuedRun
  readonly selected: Selected
  /** The commit of the project here. */
  readonly gitCommit: string | null
  /** Keyed by `trialKey`. */
  readonly trials: ReadonlyMap<string, Trial>
}

/**
 * Checks that this process would run a run just as the process that planned it: the experiment, its conditions with the
 * fingerprint of the jury, its items, and the commit.
 *
 * @throws `run-mismatch` naming every difference; `model-key-missing`, `experiment-invalid`, `dataset-invalid`
 */
export async function fitRun(queued: QueuedRun, experiments: readonly ExperimentOptions[]): Promise<FittingRun> {
  const { manifest, requireSameCommit } = queued
  const { id, session, kind, variant } = manifest
  const experiment = withMatrix<ExperimentOptions>(experimentOf(manifest, experiments))
  const known = variant === null || Object.hasOwn(experiment.variants ?? {}, variant)
  if (!known) refuse(id, `The config has no variant ${variant} of ${experiment.name}.`)
  refuseMissingKeys(modelUsersIn(experiment, variant === null ? [] : [variant]))
  const prepared = await prepare(experiment, variant === null ? {} : { variant })
  const plan = storedPlan(manifest)
  const planned = plan === null ? prepared.settings : settingsOfPlan(prepared.settings, plan)
  const settings = settingsAsPlanned(planned, manifest.configuration)
  const selected = await select({ ...prepared, settings })
  // When it stops is a matter of the queue.
  const { sequential } = manifest
  const wanted = { ...(await manifestOf(selected, { id, session, kind })), ...(sequential && { sequential }) }
  const hashes = new Map(selected.items.map((item) => [item.id, item.hash]))
  const differences = manifestDifferences(manifest, wanted, { hashes, takenKeys: new Set(), widen: false })
  const { gitCommit } = wanted.code
  const commits = { condition: 'commit', baseline: manifest.code.gitCommit, candidate: gitCommit }
  const ofCommit: readonly ConditionDifference[] =
    requireSameCommit && manifest.code.gitCommit !== gitCommit
      ? [{ ...commits, reason: 'differs', allowed: false }]
      : []
  const all = [...differences, ...ofCommit]
  if (all.length > 0) refuse(id, `${all.map(inWords).join('; ')}.`, all)
  const trials = Array.from(trialsOf(selected.items, settings), (trial) => [trialKey(trial), trial] as const)
  return { queued, selected, gitCommit, trials: new Map(trials) }
}

function experimentOf(
  { id, experimentName }: RunManifest,
  experiments: readonly ExperimentOptions[],
): ExperimentOptions | Experiment {
  const found = experiments.find(({ name }) => name === experimentName)
  return found ?? refuse(id, `The config has no experiment ${experimentName}.`)
}

function refuse(id: string, problem: string, differences: readonly ConditionDifference[] = []): never {
  throw new JuristError('run-mismatch', `This worker does not fit run ${id}: ${problem}`, { id, differences, problem })
}

function inWords({ condition, baseline, candidate }: ConditionDifference): string {
  return `${condition} is ${short(baseline)} in the run and ${short(candidate)} here`
}

/** Enough of a hash to tell it from another one; other values whole, up to a length. */
function short(value: Json): string {
  if (value === null) return 'not set'
  if (typeof value === 'string' && /^(sha256:)?[0-9a-f]{16,64}$/.test(value))
    return `${value.replace('sha256:', '').slice(0, 8)}…`
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
