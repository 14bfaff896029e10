import { asText, flatten } from '@jurist/core'
import { itemsOf, outcomeCounts, outcomes, trialsOf } from '@jurist/experiment/internal/results'
import {
  type ItemResult,
  outcomeOf,
  type RunResult,
  reasonOf,
  type Trial,
  type TrialOutcome,
} from '@jurist/experiment/result'
import { revisionOf } from './run.js'

/** A trial as a row of the table. */
export interface ItemRow {
  /** Place in the run, from 0. */
  readonly index: number
  readonly itemId: string
  readonly repetition: number
  readonly bucket: string
  readonly outcome: TrialOutcome
  /** In the order of the run's score keys; `null` where the trial has none. */
  readonly scores: readonly (number | null)[]
  readonly costUsd: number | null
  readonly durationMs: number
  readonly reason: string
}

/** A page of the table. */
export interface ItemsDocument {
  readonly revision: string
  /** The number of rows that match the query. `rows` holds some of them. */
  readonly total: number
  readonly offset: number
  readonly rows: readonly ItemRow[]
  /** How many trials that match the search have each outcome, regardless of the outcome filter. */
  readonly outcomes: Readonly<Record<TrialOutcome, number>>
}

const maxRows = 500
const maxReason = 240

/**
 * The rows for a query: `q` searches, `outcome` and `bucket` filter, `sort` names a column or `score:<key>`, `order=desc`
 * reverses the order, `offset` and `limit` select a page of at most 500 rows.
 */
export async function itemsDocument(run: RunResult, query: URLSearchParams): Promise<ItemsDocument> {
  const found = await searched(run, query)
  const wanted = query.get('outcome')
  const fitting = wanted === null ? found : found.filter(({ trial }) => outcomeOf(trial) === wanted)
  const sorted = sortedBy(fitting, query.get('sort') ?? '', query.get('order') === 'desc')
  const offset = whole(query.get('offset'), 0)
  const limit = Math.min(maxRows, whole(query.get('limit'), 100))
  const keys = Object.keys(run.scores)
  const shown = sorted.slice(offset, offset + limit)
  return {
    revision: revisionOf(run),
    total: sorted.length,
    offset,
    rows: shown.map(({ index, trial }) => rowOf(index, trial, keys)),
    outcomes: outcomeCounts(found.map(({ trial }) => trial)),
  }
}

interface Placed {
  readonly index: number
  readonly trial: Trial
}

/** Only a search reads whole trials. */
async function searched(run: RunResult, query: URLSearchParams): Promise<readonly Placed[]> {
  const words = (query.get('q') ?? '').toLowerCase().trim()
  const places: readonly Placed[] =
    words === ''
      ? trialsOf(run).map((trial, index) => ({ index, trial }))
      : (await itemsOf(run)).flatMap((trial, index) => (searchedText(trial).includes(words) ? [{ index, trial }] : []))
  const bucket = query.get('bucket')
  return bucket === null ? places : places.filter(({ trial }) => trial.bucket === bucket)
}

type SortValue = string | number | null

/** Trials without a value come last in both orders. */
function sortedBy(found: readonly Placed[], column: string, descending: boolean): readonly Placed[] {
  const measure = columnValue(column)
  if (measure === undefined) return descending ? found.toReversed() : found
  const keyed = found.map((place) => ({ place, value: measure(place.trial) }))
  const direction = descending ? -1 : 1
  keyed.sort((a, b) => {
    if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null)
    return a.value < b.value ? -direction : a.value > b.value ? direction : 0
  })
  return keyed.map(({ place }) => place)
}

function columnValue(column: string): ((trial: Trial) => SortValue) | undefined {
  if (column.startsWith('score:')) {
    const key = column.slice('score:'.length)
    return ({ scores }) => (Object.hasOwn(scores, key) ? (scores[key] ?? null) : null)
  }
  return columns[column]
}

const columns: { readonly [column: string]: (trial: Trial) => SortValue } = {
  __proto__: null as never,
  item: ({ itemId }) => itemId,
  bucket: ({ bucket }) => bucket,
  outcome: (trial) => outcomes.indexOf(outcomeOf(trial)),
  cost: ({ costUsd }) => costUsd,
  time: ({ durationMs }) => durationMs,
}

function rowOf(index: number, item: Trial, keys: readonly string[]): ItemRow {
  const { itemId, repetition, bucket, scores, costUsd, durationMs } = item
  return {
    index,
    itemId,
    repetition,
    bucket,
    outcome: outcomeOf(item),
    scores: keys.map((key) => (Object.hasOwn(scores, key) ? (scores[key] ?? null) : null)),
    costUsd,
    durationMs,
    reason: shortened(reasonOf(item)),
  }
}

function whole(text: string | null, otherwise: number): number {
  const value = text === null ? Number.NaN : Number(text)
  return Number.isSafeInteger(value) && value >= 0 ? value : otherwise
}

function shortened(text: string): string {
  return text.length > maxReason ? `${text.slice(0, maxReason)}…` : text
}

const searchedTexts = new WeakMap<ItemResult, string>()

/** The text of a trial that a search matches, in lower case: names, task, reasons, checks, output and failures. */
function searchedText(item: ItemResult): string {
  const found = searchedTexts.get(item)
  if (found !== undefined) return found
  const text = textsOf(item).join('\n').toLowerCase()
  searchedTexts.set(item, text)
  return text
}

function textsOf({ itemId, itemSlug, bucket, taskType, tags, task, failure, verdict, detail }: ItemResult): string[] {
  const judgments = verdict === null ? [] : flatten(verdict)
  const output = detail?.kind === 'agent' ? asText(detail.invocation.output) : ''
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
    output,
    ...(detail?.kind === 'judge' ? [detail.scorer.reasoning, detail.expectedLabel ?? ''] : []),
  ]
}
