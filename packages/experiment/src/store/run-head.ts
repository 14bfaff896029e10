import { checkOptions, option, totalCost } from '@jurist/core/internal'
import { splitTrials } from '../result/quarantine.js'
import { type ExperimentResult, type ItemResult, type RunRecord, runStatuses } from '../result/records.js'
import { repetitionFigures } from '../result/repeated.js'
import { isMeasurement, runKinds } from '../result/run-kind.js'
import { countedPlan, countsOf, passRateOf, plannedRepetitions, resultOf } from '../result/summarize.js'
import type { SummarizedTrial, TrialName } from '../result/trial-figures.js'
import { type RunHead, runKeys, type StoredSum } from './record-schemas.js'
import type { RunEnd, RunEntry, RunManifest, RunQuery } from './store.js'

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
  const ahead = new Set(decided?.ahead)
  const byItem = new Map<string, Trial[]>()
  for (const item of items) {
    if (ahead.has(item.itemId)) continue
    const known = byItem.get(item.itemId)
    if (known === undefined) byItem.set(item.itemId, [item])
    else known.push(item)
  }
  // A shard names the items of the whole run, of which it has few.
  const named = itemOrder.filter((id) => byItem.has(id))
  const ids = named.length === 0 ? byItem.keys() : new Set([...named, ...byItem.keys()])
  const ordered: Trial[] = []
  for (const id of ids) {
    const trials = byItem.get(id) ?? []
    if (trials.length > 1) trials.sort((one, other) => one.repetition - other.repetition)
    for (const [at, trial] of trials.entries()) {
      const last = ordered.at(-1)
      if (at === 0 || last?.repetition !== trial.repetition) ordered.push(trial)
      else if (last.passed === null) ordered[ordered.length - 1] = trial
    }
  }
  return ordered
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

/**
 * The query, checked.
 *
 * @throws `option-invalid` naming every unknown or wrong part
 */
export function checkQuery(query: RunQuery | undefined): RunQuery {
  return checkOptions('list', query, {
    experimentName: option.string,
    kind: option.oneOf(...runKinds),
    status: option.oneOf(...runStatuses),
    variant: option.string,
    session: option.string,
    before: { wants: 'an instant (ISO 8601)', holds: (value) => !Number.isNaN(Date.parse(String(value))) },
    order: option.oneOf('oldest', 'newest'),
    limit: option.integer(0),
    includeExcluded: option.boolean,
  })
}

/** The entries that a query asks for, in its order. */
export function selectEntries(entries: readonly RunEntry[], query: RunQuery): readonly RunEntry[] {
  const sign = query.order === 'oldest' ? 1 : -1
  return entries
    .filter((entry) => matchesQuery(entry, query))
    .sort((a, b) => sign * byStart(a, b))
    .slice(0, query.limit)
}

/** The order of runs in time: by start, then by id. */
function byStart(a: RunEntry, b: RunEntry): number {
  return Date.parse(a.startedAt) - Date.parse(b.startedAt) || (a.id < b.id ? -1 : 1)
}

const compared = ['experimentName', 'kind', 'status', 'variant', 'session'] as const

function matchesQuery(entry: RunEntry, query: RunQuery): boolean {
  if (entry.excluded !== null && query.includeExcluded !== true) return false
  if (query.before !== undefined && Date.parse(entry.startedAt) >= Date.parse(query.before)) return false
  return compared.every((key) => query[key] === undefined || query[key] === entry[key])
}

/** The entry of the newest run that may represent its experiment: only one that measures an agent or a judge, unless `kind` asks for another. */
export function newestEntry(entries: readonly RunEntry[], query: RunQuery): RunEntry | undefined {
  const found = selectEntries(entries, { ...query, order: 'newest', limit: Number.POSITIVE_INFINITY })
  return found.find(({ kind }) => query.kind !== undefined || isMeasurement(kind))
}
