import { join } from 'node:path'
import type { ExperimentEvent } from '@jurist/experiment'
import { type ExperimentOptions, runExperiment } from '@jurist/experiment'
import { gainPValue, isDatasetPath, withPath } from '@jurist/experiment/internal'
import { resultWithItems } from '@jurist/experiment/internal/results'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import type { ResultStore } from '@jurist/experiment/store'
import { experimentsOf } from '../../command-kit/configured-experiment.js'
import { type LoadedConfig, loadConfig } from '../../config/load-config.js'
import type { Plan, Ratchet } from './ratchet-state.js'
import { ratchetRefused } from './ratchet-state.js'

/** The experiment as a version has it, in the files of that version. */
export interface VersionExperiment {
  readonly loaded: LoadedConfig
  readonly options: ExperimentOptions
}

/**
 * Loads the config from the files of a version. The config of the project, which the agent may have changed, is never loaded.
 *
 * @throws `config-invalid`, also for what the version broke
 */
export async function experimentIn(plan: Plan, directory: string): Promise<VersionExperiment> {
  const loaded = await loadConfig(join(directory, plan.config))
  const [found] = await experimentsOf(loaded, [plan.experiment])
  if (found === undefined) throw ratchetRefused(plan.name, `The config has no experiment "${plan.experiment}".`)
  const { dataset } = found
  const { bail: _, budget: __, baseline: ___, ...options } = found
  return {
    loaded,
    options: {
      ...options,
      // Items in quarantine are in no part. What counts must not change with the date.
      quarantine: false,
      ...(plan.dataset !== null && isDatasetPath(dataset) ? { dataset: withPath(dataset, plan.dataset) } : {}),
    },
  }
}

/** The trials of a version on a part of the items. */
export interface Measured {
  /** Decided trials, by item. */
  readonly decided: ReadonlyMap<string, readonly ItemResult[]>
  /** How many trials ended, by item. */
  readonly tried: ReadonlyMap<string, number>
  /** The run that began last; `null` without one. */
  readonly run: ExperimentResult | null
  readonly trials: readonly ItemResult[]
}

interface Measuring {
  readonly ratchet: Ratchet
  readonly tree: string
  /** The name of its runs in the store of the ratchet; `null`: they have that of the variant. */
  readonly label: string | null
  /** The experiment of the version, asked for where trials are missing. */
  readonly optionsOf: () => Promise<ExperimentOptions>
  readonly part: 'visible' | 'hidden' | 'reserve'
  readonly items: readonly string[]
  readonly store: ResultStore
  readonly signal: AbortSignal
  readonly onEvent?: (event: ExperimentEvent) => void
  /** Whether nothing that is left can change the answer. */
  readonly isSettled?: (decided: Measured['decided']) => boolean
}

/** A trial that decided nothing is tried twice more, whatever command runs it. */
const retries = 2

/**
 * Runs the trials that are not stored yet. A command that was killed is continued by the next one.
 *
 * @throws `aborted`; `ratchet-refused` when the dataset was changed
 */
export async function measured(measuring: Measuring): Promise<Measured> {
  const { ratchet, tree, label, items, part, store, signal, onEvent, isSettled } = measuring
  const { plan } = ratchet
  const session = sessionOf(plan, tree, part)
  for (let before = -1; ; ) {
    const known = await storedTrials(measuring, session)
    const ended = [...known.tried.values()].reduce((sum, trials) => sum + trials, 0)
    const lacking = new Map<number, string[]>()
    for (const id of items) {
      const wanted = plan.items[id]?.[1] ?? 1
      const lacks = wanted - (known.decided.get(id)?.length ?? 0)
      if (lacks > 0 && (known.tried.get(id) ?? 0) < wanted + retries)
        lacking.set(lacks, [...(lacking.get(lacks) ?? []), id])
    }
    // A run that ended no trial would do so again.
    if (lacking.size === 0 || ended === before || isSettled?.(known.decided) === true) return known
    before = ended
    const version = await measuring.optionsOf()
    const own = plan.variant === null ? {} : (version.variants?.[plan.variant] ?? {})
    const name = label ?? plan.variant
    const decided = new Map(known.decided)
    for (const [repetitions, id] of lacking) {
      const settled = new AbortController()
      const listen = (event: ExperimentEvent) => {
        onEvent?.(event)
        if (event.type !== 'item-end' || event.result.passed === null) return
        decided.set(event.result.itemId, [...(decided.get(event.result.itemId) ?? []), event.result])
        if (isSettled?.(decided) === true) settled.abort()
      }
      const options = {
        ...version,
        ...(name === null ? {} : { variants: { [name]: own } }),
        filter: { id, status: 'any' as const },
        ...{ repetitions, store },
        metadata: { ...version.metadata, ratchet: { name: plan.name, tree, part } },
      }
      const variant = name === null ? {} : { variant: name }
      const stop = AbortSignal.any([signal, settled.signal])
      await runExperiment<string>(options, { ...variant, session, signal: stop, onEvent: listen }).result
      signal.throwIfAborted()
      if (settled.signal.aborted) return storedTrials(measuring, session)
    }
  }
}

/** Names the runs of a version, which have a session of their own for each part. */
export function sessionOf({ name }: Pick<Plan, 'name'>, tree: string, part: Measuring['part']): string {
  return `ratchet-${name}-${tree.slice(0, 16)}-${part}`
}

async function storedTrials({ ratchet, items, store }: Measuring, session: string): Promise<Measured> {
  const { plan } = ratchet
  const decided = new Map<string, ItemResult[]>()
  const chosen = new Map<string, ItemResult>()
  const tried = new Map<string, number>()
  let newest: ExperimentResult | null = null
  for await (const { id } of store.list({ experimentName: plan.experiment, session, order: 'oldest' })) {
    const run = await store.load(id)
    if (run === undefined) continue
    const whole = await resultWithItems(run)
    newest = whole
    for (const trial of whole.items) {
      if (!items.includes(trial.itemId)) continue
      if (trial.itemHash !== plan.items[trial.itemId]?.[0])
        throw ratchetRefused(plan.name, 'The dataset differs from the one that the ratchet began with. Restore it.')
      if (trial.agent !== 'cancelled') tried.set(trial.itemId, (tried.get(trial.itemId) ?? 0) + 1)
      if (trial.passed !== null) decided.set(trial.itemId, [...(decided.get(trial.itemId) ?? []), trial])
      const name = `${trial.itemId}#${trial.repetition}`
      if (trial.passed !== null || chosen.get(name) === undefined) chosen.set(name, trial)
    }
  }
  return { decided, tried, run: newest, trials: [...chosen.values()] }
}

/** A version against another on the same items. */
export interface Pairs {
  /** Mean differences of the units, those that do not differ left out. */
  readonly differences: readonly number[]
  readonly better: number
  readonly worse: number
  /** Items that one of both has no decided trial of. */
  readonly undecided: number
}

function rateOf(trials: readonly ItemResult[] = [], hoped = 0): number | null {
  const all = trials.length + hoped
  return all === 0 ? null : (trials.filter(({ passed }) => passed === true).length + hoped) / all
}

/**
 * Compares a version with the kept one, unit by unit. An item that only the new version did not decide counts as failed, so that
 * breaking a trial is never better than failing it; an item that the kept version did not decide is left out.
 *
 * @param isHoping whether trials that the version lacks count as passed
 */
export function pairsOf(
  plan: Pick<Plan, 'units' | 'items'>,
  items: readonly string[],
  kept: Measured['decided'],
  candidate: Measured['decided'],
  isHoping = false,
): Pairs {
  const sums = new Map<string, { sum: number; items: number }>()
  let undecided = 0
  for (const id of items) {
    const trials = candidate.get(id)
    const lacks = isHoping ? Math.max(0, (plan.items[id]?.[1] ?? 1) - (trials?.length ?? 0)) : 0
    const [before, after] = [rateOf(kept.get(id)), rateOf(trials, lacks)]
    if (before === null || after === null) undecided += 1
    if (before === null) continue
    const unit = plan.units[id] ?? id
    const known = sums.get(unit) ?? { sum: 0, items: 0 }
    sums.set(unit, { sum: known.sum + (after ?? 0) - before, items: known.items + 1 })
  }
  const differences = [...sums.values()].map((one) => one.sum / one.items).filter((one) => Math.abs(one) > 1e-12)
  const better = differences.filter((one) => one > 0).length
  return { differences, better, worse: differences.length - better, undecided }
}

/** Whether a version can no longer reach a level, even if all that is left of it passes. */
export function cannotReach(
  plan: Pick<Plan, 'units' | 'items'>,
  items: readonly string[],
  kept: Measured['decided'],
  level: number,
): (candidate: Measured['decided']) => boolean {
  return (candidate) => gainPValue(pairsOf(plan, items, kept, candidate, true).differences) > level
}
