import {
  type BriefTrial,
  briefTrials,
  type ExperimentResult,
  type ItemResult,
  outcomeCounts,
  outcomeOf,
  outcomes,
  reasonOf,
  type TrialOutcome,
  wholeTrials,
} from '@jurist/experiment/result'
import { revisionOf } from './revision.js'
import { searchedText } from './searched-text.js'

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

/** A part of the table. */
export interface ItemsDocument {
  readonly revision: string
  /** Rows that fit, of which `rows` are some. */
  readonly total: number
  readonly offset: number
  readonly rows: readonly ItemRow[]
  /** How many trials of the search have each outcome, whatever outcome is asked for. */
  readonly outcomes: Readonly<Record<TrialOutcome, number>>
}

const mostRows = 500
const maxReason = 240

/**
 * The rows that a query asks for: `q` searches, `outcome` and `bucket` filter, `sort` names a column or `score:<key>`,
 * `order=desc` turns it around, `offset` and `limit` cut a part out.
 */
export function itemsDocument(run: ExperimentResult, query: URLSearchParams): ItemsDocument {
  const found = searched(run, query)
  const wanted = query.get('outcome')
  const fitting = wanted === null ? found : found.filter(({ trial }) => outcomeOf(trial) === wanted)
  const sorted = sortedBy(fitting, query.get('sort') ?? '', query.get('order') === 'desc')
  const offset = whole(query.get('offset'), 0)
  const limit = Math.min(mostRows, whole(query.get('limit'), 100))
  const keys = Object.keys(run.scores)
  const shown = sorted.slice(offset, offset + limit)
  const items = wholeTrials(
    run,
    shown.map(({ trial }) => trial),
  )
  return {
    revision: revisionOf(run),
    total: sorted.length,
    offset,
    rows: items.map((item, place) => rowOf(shown[place]?.index ?? 0, item, keys)),
    outcomes: outcomeCounts(found.map(({ trial }) => trial)),
  }
}

interface Placed {
  readonly index: number
  readonly trial: BriefTrial
}

/** Without a word to look for, nothing needs the texts of the trials. */
function searched(run: ExperimentResult, query: URLSearchParams): readonly Placed[] {
  const words = (query.get('q') ?? '').toLowerCase().trim()
  const places: readonly Placed[] =
    words === ''
      ? briefTrials(run).map((trial, index) => ({ index, trial }))
      : run.items.flatMap((trial, index) => (searchedText(trial).includes(words) ? [{ index, trial }] : []))
  const bucket = query.get('bucket')
  return bucket === null ? places : places.filter(({ trial }) => trial.bucket === bucket)
}

type SortValue = string | number | null

/** Trials without a value come last, whatever the order. */
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

function columnValue(column: string): ((trial: BriefTrial) => SortValue) | undefined {
  if (column.startsWith('score:')) {
    const key = column.slice('score:'.length)
    return ({ scores }) => (Object.hasOwn(scores, key) ? (scores[key] ?? null) : null)
  }
  return columns[column]
}

const columns: { readonly [column: string]: (trial: BriefTrial) => SortValue } = {
  __proto__: null as never,
  item: ({ itemId }) => itemId,
  bucket: ({ bucket }) => bucket,
  outcome: (trial) => outcomes.indexOf(outcomeOf(trial)),
  cost: ({ costUsd }) => costUsd,
  time: ({ durationMs }) => durationMs,
}

function rowOf(index: number, item: ItemResult, keys: readonly string[]): ItemRow {
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
