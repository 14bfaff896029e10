import type { DatasetItem } from '../dataset/item.js'
import type { RunOverview, TrialName } from '../result/trial-figures.js'
import type { ResultStore } from '../store/store.js'
import type { Settings } from './settings.js'
import { longestFirst } from './trials.js'

/** The order in which workers start the trials of a run. */
interface StartOrder {
  readonly trials: readonly TrialName[]
  /** Why it is not that of the dataset; `null` where it is. */
  readonly why: string | null
}

/** A trial, and the timeout that its item declares. */
interface Trial extends TrialName {
  readonly item: Pick<DatasetItem, 'timeoutMs'>
}

interface Known {
  readonly settings: Pick<Settings, 'name' | 'variant' | 'itemTimeoutMs'>
  readonly store: Pick<ResultStore, 'list' | 'overview'>
  readonly durations: Readonly<Record<string, number>> | undefined
}

/**
 * The longest trials first, so that no worker is left with one at the end: by the durations that are given, else by those that
 * earlier runs of the experiment have measured, else by the timeouts of the items. Without all of them: the order of the dataset.
 */
export async function startOrder(trials: readonly Trial[], { store, settings, durations }: Known): Promise<StartOrder> {
  if (durations !== undefined) return ordered(trials, durations, 'the longest first')
  const ids = new Set(trials.map(({ itemId }) => itemId))
  const runs = await measured(store, settings, ids)
  if (runs.length > 0) {
    const by = runs.length === 1 ? `run ${runs[0]?.id} has` : `runs ${runs.map(({ id }) => id).join(' and ')} have`
    return ordered(trials, durationsIn(runs), `the longest first, as ${by} measured them`)
  }
  if (trials.every(({ item }) => item.timeoutMs === null)) return { trials: trials.map(nameOf), why: null }
  const timeouts = trials.map(({ itemId, item }) => [itemId, item.timeoutMs ?? settings.itemTimeoutMs] as const)
  return ordered(trials, Object.fromEntries(timeouts), 'those with the longest timeouts first')
}

function ordered(trials: readonly Trial[], durations: Readonly<Record<string, number>>, why: string): StartOrder {
  return { trials: longestFirst(trials, durations).map(({ trial }) => nameOf(trial)), why }
}

function nameOf({ itemId, repetition }: TrialName): TrialName {
  return { itemId, repetition }
}

const mostRead = 3
const mostListed = 20

/**
 * The newest runs of an experiment that have measured some of these items: those of the same variant first, and only as many as needed to know every item. A run that cannot be read is left out: the order is not worth a failure.
 */
async function measured(
  store: Known['store'],
  { name, variant }: Known['settings'],
  items: ReadonlySet<string>,
): Promise<readonly RunOverview[]> {
  const unknown = new Set(items)
  const found: RunOverview[] = []
  for (const id of await candidates(store, name, variant)) {
    if (unknown.size === 0 || found.length === mostRead) break
    const run = await store.overview(id).catch(() => undefined)
    const trials = run?.trials.filter(({ agent, itemId }) => agent !== 'cancelled' && unknown.has(itemId)) ?? []
    if (run === undefined || trials.length === 0) continue
    for (const { itemId } of trials) unknown.delete(itemId)
    found.push(run)
  }
  return found
}

async function candidates(store: Known['store'], experimentName: string, variant: string | null) {
  const same: string[] = []
  const others: string[] = []
  for await (const entry of store.list({ experimentName, kind: 'agent', limit: mostListed }))
    if (entry.counts.run > 0) (entry.variant === variant ? same : others).push(entry.id)
  return [...same, ...others]
}

/** The durations of each item, from the first run that has any. */
function durationsIn(runs: readonly RunOverview[]): Readonly<Record<string, number>> {
  return Object.assign({}, ...runs.toReversed().map((run) => itemDurations([run])))
}

/** The mean milliseconds of the trials of each item, by the sorted ids of the items; cancelled trials do not count. */
export function itemDurations(runs: readonly RunOverview[]): Readonly<Record<string, number>> {
  const sums = new Map<string, { ms: number; trials: number }>()
  for (const { agent, itemId, durationMs } of runs.flatMap(({ trials }) => trials)) {
    if (agent === 'cancelled') continue
    const sum = sums.get(itemId) ?? { ms: 0, trials: 0 }
    sums.set(itemId, { ms: sum.ms + durationMs, trials: sum.trials + 1 })
  }
  const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([id, { ms, trials }]) => [id, Math.max(1, Math.round(ms / trials))]))
}
