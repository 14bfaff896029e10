import { totalCost } from '@jurist/core/internal'
import { splitTrials } from '../result/quarantine.js'
import type { ExperimentResult, ItemResult, RunRecord } from '../result/records.js'
import { repetitionFigures } from '../result/repeated.js'
import { countedPlan, countsOf, passRateOf, plannedRepetitions, resultOf } from '../result/summarize.js'
import { type SummarizedTrial, type TrialName, trialKey } from '../result/trial-figures.js'
import { type RunHead, runKeys, type StoredSum } from './record-schemas.js'
import type { RunEnd, RunEntry, RunManifest } from './store.js'

export { plannedRepetitions } from '../result/summarize.js'
export type { RunHead, StoredSum } from './record-schemas.js'

/** The head in a record, without what else it carries: a result has its summary, which is never stored. */
export function headOf(record: RunHead): RunHead {
  const keys = runKeys as readonly (keyof RunHead)[]
  return Object.fromEntries(keys.flatMap((key) => (record[key] === undefined ? [] : [[key, record[key]]]))) as never
}

/** The head of a run that begins or continues. */
export function runningHead(manifest: RunManifest): RunHead {
  return headOf({ ...manifest, status: 'running', stopReason: null, endedAt: null, durationMs: 0 })
}

/** The head of a run that ends now. */
export function endedHead(
  head: RunHead,
  { status, stopReason, durationMs, decided }: RunEnd,
  stored?: StoredSum,
): RunHead {
  const stop = decided === undefined ? {} : { decided }
  const ended = { ...head, status, stopReason, durationMs, ...stop, endedAt: new Date().toISOString() }
  return stored === undefined ? ended : { ...ended, stored }
}

/** The manifest in a head: all but how the run ended. */
export function manifestOf({
  status,
  stopReason,
  endedAt,
  durationMs,
  stored,
  decided,
  ...manifest
}: RunHead): RunManifest {
  return manifest
}

/** The record in a head: without what the store adds. A shard keeps the order of the whole, so that it can be merged. */
export function recordOf({ itemOrder, stored, ...record }: RunHead): Omit<RunRecord, 'items'> {
  return record.shard === undefined || itemOrder === undefined ? record : { ...record, itemOrder }
}

/** The result of a run: its items in result order, and the summary of them. */
export function storedResult(head: RunHead, items: readonly ItemResult[], held: boolean): ExperimentResult {
  const { metadata, ...record } = recordOf(currentHead(head, items, held))
  return resultOf({ ...record, items: inResultOrder(items, head), metadata })
}

/** The head as it is now: running while a writer holds the run, interrupted when it never ended and no writer does. */
export function currentHead(head: RunHead, items: readonly Ended[], held: boolean): RunHead {
  if (head.status !== 'running' && !held) return head
  return { ...runningHead(head), status: held ? 'running' : 'interrupted', durationMs: elapsedMs(head, items) }
}

type Ended = Partial<Pick<ItemResult, 'endedAt'>>

/** The duration of a run without a recorded one: the time until its last trial ended. */
function elapsedMs({ startedAt }: RunHead, items: readonly Ended[]): number {
  const begin = Date.parse(startedAt)
  return items.reduce((longest, { endedAt }) => Math.max(longest, Date.parse(endedAt ?? '') - begin || 0), 0)
}

/** The entry of a run in a list. */
export function entryOf(head: RunHead, items: readonly SummarizedTrial[], excluded: string | null): RunEntry {
  const { id, experimentName, kind, status, variant, session, startedAt, endedAt, durationMs, code } = head
  const { counted } = splitTrials(head, items)
  const counts = countsOf(counted, countedPlan(head, items))
  return {
    ...{ id, experimentName, kind, status, variant, session, startedAt, endedAt, durationMs },
    gitCommit: code.gitCommit,
    counts,
    passRate: passRateOf(counts),
    passRateInterval: repetitionFigures(counted, counts).passRateInterval,
    costUsd: totalCost(items.map((item) => item.costUsd)) ?? null,
    judgeCostUsd: totalCost(items.map((item) => item.judgeCostUsd)) ?? null,
    excluded,
    ...(head.shard === undefined ? {} : { shard: head.shard }),
  }
}

type Placed = Pick<ItemResult, 'itemId' | 'repetition' | 'passed'>

/**
 * The trials in result order, each once: an undecided trial is replaced by a later one of the same item and repetition, a
 * decided one is kept. Items are in `itemOrder`, those it does not name after them in the order of first appearance; then
 * by repetition. Trials that ran ahead of the stop of a run that was decided are not among them.
 */
export function inResultOrder<Trial extends Placed>(
  items: readonly Trial[],
  { itemOrder = [], decided }: Pick<RunHead, 'itemOrder' | 'decided'> = {},
): readonly Trial[] {
  const trials = new Map<string, Trial>()
  const ahead = new Set(decided?.ahead)
  // A shard names the items of the whole run, of which it has few.
  const present = new Set(items.map(({ itemId }) => itemId))
  const placeOf = new Map<string, number>()
  for (const id of itemOrder) if (present.has(id)) placeOf.set(id, placeOf.size)
  for (const item of items) {
    if (ahead.has(item.itemId)) continue
    const known = trials.get(trialKey(item))
    if (known === undefined || known.passed === null) trials.set(trialKey(item), item)
    if (!placeOf.has(item.itemId)) placeOf.set(item.itemId, placeOf.size)
  }
  const distance = (one: Trial, other: Trial) => (placeOf.get(one.itemId) ?? 0) - (placeOf.get(other.itemId) ?? 0)
  return [...trials.values()].sort((one, other) => distance(one, other) || one.repetition - other.repetition)
}

/** All trials of the plan of a stored run, in result order; none for a record that does not name its items. */
export function plannedTrials(manifest: RunManifest): readonly TrialName[] {
  const trials: TrialName[] = []
  for (const itemId of manifest.itemOrder ?? []) {
    const repetitions = plannedRepetitions(manifest, itemId)
    for (let repetition = 1; repetition <= repetitions; repetition += 1) trials.push({ itemId, repetition })
  }
  return trials
}
