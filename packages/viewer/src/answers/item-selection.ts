import { asText, flatten } from '@jurist/core'
import {
  alikeTrials,
  fittingTrials,
  judgeKeys,
  outputOf,
  tokensOf,
  trialsOf,
  trialText,
} from '@jurist/experiment/internal/results'
import { type ItemResult, type RunResult, reasonOf, type Trial } from '@jurist/experiment/result'
import { hasSpent } from './cost.js'
import {
  flakinessOf,
  gravityOf,
  itemRows,
  meanOf,
  type RowTrials,
  rateOf,
  scoreAt,
  spreadOf,
  sumOf,
  trialRows,
  trialsIn,
  wholeCost,
} from './item-rows.js'
import type { TrialLabels } from './trial-filters.js'
import { chosenFilters, type Filtered, filteredRows } from './trial-filters.js'

/**
 * Finds the trials that contain these words, in any case. In one run, any string of a trial matches, so trials are read
 * whole; in several runs only names, tags and reasons match, which the index contains.
 */
async function foundTrials(runs: readonly RunResult[], words: string): Promise<ReadonlySet<Trial>> {
  const wanted = words.toLowerCase().trim()
  const [run] = runs
  if (run === undefined || runs.length > 1)
    return new Set(runs.flatMap((one) => trialsOf(one).filter((trial) => knownText(trial).includes(wanted))))
  // Most records do not even have the words in their JSON.
  const json = JSON.stringify(wanted).slice(1, -1)
  const hasWords = (item: ItemResult) => textsOf(item).join('\n').toLowerCase().includes(wanted)
  return new Set(await fittingTrials(run, hasWords, (record) => record.toLowerCase().includes(json)))
}

async function trialsThatSpent(runs: readonly RunResult[], spent: string): Promise<ReadonlySet<Trial>> {
  const found = await Promise.all(runs.map((run) => fittingTrials(run, (item) => hasSpent(item, spent))))
  return new Set(found.flat())
}

function knownText(trial: Trial): string {
  const { itemId, bucket, tags } = trial
  return [itemId, bucket, ...tags, reasonOf(trial)].join('\n').toLowerCase()
}

/** Returns the searchable strings of a trial: names, task, reasons, checks, output and failures. */
function textsOf(item: ItemResult): string[] {
  const { itemId, itemSlug, bucket, taskType, tags, task, failure, verdict, detail } = item
  const judgments = verdict === null ? [] : flatten(verdict)
  return [
    itemId,
    itemSlug,
    bucket,
    taskType,
    ...tags,
    task,
    failure?.message ?? '',
    ...judgments.flatMap(({ path, judgment: { reasoning, checks } }) => [
      path,
      reasoning,
      ...checks.flatMap(({ name, message }) => [name, message]),
    ]),
    asText(outputOf(item)),
    ...(detail?.kind === 'judge' ? [detail.scorer.reasoning, detail.expectedLabel ?? ''] : []),
  ]
}

/** Whether a row is an item with all its trials rather than a single trial. */
export function isByItem(runs: readonly RunResult[], query: URLSearchParams): boolean {
  return runs.length !== 1 || query.get('by') === 'item'
}

/**
 * Selects and sorts the rows for a query, and counts the other choices. The last query of a run is kept for its other
 * pages.
 */
export async function selectedItems(
  runs: readonly RunResult[],
  query: URLSearchParams,
  labels: TrialLabels,
): Promise<Filtered<RowTrials>> {
  const [first] = runs
  if (first === undefined) return select(runs, query, labels)
  const key = `${keyOf(query)} ${labels.revision}`
  const known = lastSelections.get(first)
  if (known?.key === key && known.runs.length === runs.length && known.runs.every((run, at) => run === runs[at]))
    return known.selection
  const selection = select(runs, query, labels)
  lastSelections.set(first, { runs, key, selection })
  return selection
}

const lastSelections = new WeakMap<
  RunResult,
  { readonly runs: readonly RunResult[]; readonly key: string; readonly selection: Promise<Filtered<RowTrials>> }
>()

/** The parameters except those that choose a page. */
function keyOf(query: URLSearchParams): string {
  const others = [...query].filter(([name]) => !['offset', 'limit', 'texts'].includes(name))
  return new URLSearchParams(others).toString()
}

async function select(
  runs: readonly RunResult[],
  query: URLSearchParams,
  labels: TrialLabels,
): Promise<Filtered<RowTrials>> {
  const [run] = runs
  const all = run === undefined || isByItem(runs, query) ? itemRows(runs) : trialRows(run)
  const words = (query.get('q') ?? '').trim()
  const [alike, spent] = [query.get('alike'), query.get('spent')]
  const chosen = [
    ...(words === '' ? [] : [await foundTrials(runs, words)]),
    ...(alike === null ? [] : [trialsAlike(runs, alike)]),
    ...(spent === null ? [] : [await trialsThatSpent(runs, spent)]),
  ]
  const rows = all.filter(rowFilter(runs, query))
  const matching = (row: RowTrials) => trialsIn(row).filter((trial) => chosen.every((some) => some.has(trial)))
  const filtered = filteredRows(rows, matching, chosenFilters(query, labels))
  const sort = { column: query.get('sort') ?? '', descending: query.get('order') === 'desc' }
  return { ...filtered, rows: sortedRows(filtered.rows, runs, sort) }
}

/** Finds the trials that did not pass for the same reason as the named one, apart from numbers and quoted words. */
function trialsAlike(runs: readonly RunResult[], name: string): ReadonlySet<Trial> {
  const groups = runs.flatMap((run) => alikeTrials(trialsOf(run)))
  return new Set(groups.find(({ trials }) => trials.some((trial) => trialText(trial) === name))?.trials)
}

/** Filters that need all trials of an item. */
function rowFilter(runs: readonly RunResult[], query: URLSearchParams): (row: RowTrials) => boolean {
  const flaky = query.get('flaky') === 'only' ? new Set(runs.flatMap(({ flakyItems }) => flakyItems)) : undefined
  const placesOf = (name: string) => {
    const ids = query.getAll(name).flatMap((text) => text.split(','))
    return runs.flatMap(({ id }, at) => (ids.includes(id) ? [at] : []))
  }
  const [passing, failing] = [placesOf('passes'), placesOf('fails')]
  return ({ itemId, byRun }) => {
    const rateAt = (at: number) => rateOf(byRun[at] ?? []) ?? 0.5
    return (
      (flaky === undefined || flaky.has(itemId)) &&
      passing.every((at) => rateAt(at) > 0.5) &&
      failing.every((at) => rateAt(at) < 0.5)
    )
  }
}

type SortValue = string | number | null

/** Rows without a value come last in both orders. */
function sortedRows(
  rows: readonly RowTrials[],
  runs: readonly RunResult[],
  { column, descending }: { readonly column: string; readonly descending: boolean },
): readonly RowTrials[] {
  const measure = measureOf(column, runs)
  if (measure === undefined) return descending ? rows.toReversed() : rows
  const keyed = rows.map((row) => ({ row, value: measure(row) }))
  const direction = descending ? -1 : 1
  keyed.sort((a, b) => {
    if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null)
    return a.value < b.value ? -direction : a.value > b.value ? direction : 0
  })
  return keyed.map(({ row }) => row)
}

function measureOf(column: string, runs: readonly RunResult[]): ((row: RowTrials) => SortValue) | undefined {
  const [kind, ...rest] = column.split(':')
  const name = rest.join(':')
  if (kind === 'score') return (row) => meanOf(trialsIn(row).map((trial) => scoreAt(trial, name)))
  if (kind === 'run') {
    const at = runs.findIndex(({ id }) => id === name)
    return ({ byRun }) => rateOf(byRun[at] ?? [])
  }
  if (column === 'spread') {
    const keys = judgeKeys(runs.flatMap(({ scores }) => Object.keys(scores)))
    return (row) => spreadOf(row, keys)
  }
  return measures[column]
}

const measures: { readonly [column: string]: (row: RowTrials) => SortValue } = {
  __proto__: null as never,
  item: ({ itemId }) => itemId,
  bucket: (row) => trialsIn(row)[0]?.bucket ?? null,
  outcome: gravityOf,
  passed: (row) => rateOf(trialsIn(row)),
  flakiness: flakinessOf,
  cost: (row) => sumOf(trialsIn(row).map(wholeCost)),
  tokens: (row) => sumOf(trialsIn(row).map(({ usage }) => tokensOf(usage))),
  time: (row) => meanOf(trialsIn(row).map(({ durationMs }) => durationMs)),
}
