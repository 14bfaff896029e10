import { asText, type JudgmentStatus } from '@jurist/core'
import {
  expectedOutputOf,
  hadWorkspace,
  itemsOf,
  judgesThatRan,
  outputOf,
  quarantineReason,
  takenMs,
  tokensOf,
  trialJudges,
  trialKey,
  trialsOf,
} from '@jurist/experiment/internal/results'
import {
  type ItemResult,
  outcomeOf,
  type RunResult,
  reasonOf,
  type Trial,
  type TrialOutcome,
} from '@jurist/experiment/result'
import {
  cellOf,
  type GridColumn,
  gridOf,
  type ItemCell,
  type ItemGrid,
  meanOf,
  passesOf,
  type RowTrials,
  scoreAt,
  shownTrial,
  sumOf,
  type Tried,
  trialsIn,
  triedIn,
  wholeCost,
} from './item-rows.js'
import { isByItem, selectedItems } from './item-selection.js'
import { revisionOf } from './run.js'
import type { RunReader } from './run-reader.js'
import {
  type ChosenFilters,
  chosenFilters,
  differsFromLabel,
  type Facets,
  fitsFilters,
  labelText,
  suspectText,
  trialLabels,
} from './trial-filters.js'

/** A trial as a row of the table, or an item with its attempts in one run or in several. */
export interface ItemRow extends Tried {
  readonly itemId: string
  /** The trial that the row opens, and whose outcome and reason it shows: the first matching one that did not pass. */
  readonly run: string
  readonly repetition: number
  readonly outcome: TrialOutcome
  readonly reason: string
  readonly bucket: string
  readonly tags: readonly string[]
  /** The labels of its trials by people; `''` without a label. */
  readonly label: string
  /** Whether the jury decided a labelled trial differently. */
  readonly differs: boolean
  /** The rules by which a scan finds its trials suspect; `''` if it does not. */
  readonly suspects: string
  /** Why the item, or one of its judges, counts nowhere; `''`: all of it counts. */
  readonly quarantine: string
  readonly passes: number
  readonly decided: number
  readonly trials: number
  /** In the order of the columns of the grid; `[]` for a row of one trial. */
  readonly cells: readonly (ItemCell | null)[]
  /** In the order of `scoreKeys`; `null` if no trial has one. The means for an item. */
  readonly scores: readonly (number | null)[]
  /**
   * The status of each judge without a score, in the order of `scoreKeys`; `null` if the judge gave a score, was not
   * called, or gave several statuses.
   */
  readonly said: readonly (JudgmentStatus | null)[]
  /** The sum for an item, of the agent and the judges. */
  readonly costUsd: number | null
  readonly agentUsd: number | null
  readonly judgesUsd: number | null
  readonly tokens: number | null
  /** The mean for an item. */
  readonly durationMs: number | null
  /** The beginnings of long strings, if the items are rows or the query asks for them. */
  readonly texts?: { readonly input: string; readonly output: string; readonly expected: string }
}

export interface ItemsDocument {
  readonly revision: string
  /** The number of rows that match the query. `rows` contains some of them. */
  readonly total: number
  readonly offset: number
  readonly rows: readonly ItemRow[]
  /** The columns of the grid: the attempts of one run, or the runs; `[]` for rows of trials. */
  readonly columns: readonly GridColumn[]
  readonly scoreKeys: readonly string[]
  /** Whether the items are rows of texts: the first trial had no workspace. */
  readonly areRows: boolean
  /** The columns in which all trials have the same value, or none. */
  readonly constant: readonly string[]
  readonly facets: Facets
}

const maxRows = 500
const maxReason = 240
const maxText = 400

/**
 * Returns a page of the rows for a query. `by` is `trial` or `item`; several runs always give rows of items. `q`
 * searches; `outcome`, `bucket`, `tag`, `judge`, `label` and `finding` filter; `alike=<trial>` keeps those that failed alike, `spent=judge:<path>`
 * those that paid for a part of the cost; `flaky=only` keeps items that passed and failed in one run,
 * `passes=<run>` and `fails=<run>` those that most attempts of a run passed or failed. `sort` names a column,
 * `score:<key>` or `run:<id>`; `order=desc` reverses the order; `offset` and `limit` select a page of at most 500 rows;
 * `texts=yes` adds the beginnings of texts, which rows of texts have anyway, and `texts=whole` all of them.
 */
export async function itemsDocument(
  runs: readonly RunResult[],
  query: URLSearchParams,
  reader: RunReader,
): Promise<ItemsDocument> {
  const labels = await trialLabels(runs, reader)
  const selection = await selectedItems(runs, query, labels)
  const offset = whole(query.get('offset'), 0)
  const limit = Math.min(maxRows, whole(query.get('limit'), 100))
  const scoreKeys = judgesThatRan(runs.flatMap(trialsOf))
  const grid = isByItem(runs, query) ? gridOf(runs) : undefined
  const chosen = chosenFilters(query, labels)
  const areRows = await haveRows(runs)
  const texts = query.get('texts')
  const shown = selection.rows.slice(offset, offset + limit)
  const rows = shown.map((row) => rowOf(row, { runs, grid, scoreKeys, chosen }))
  return {
    revision: runs.map(revisionOf).join(' '),
    total: selection.rows.length,
    offset,
    rows: texts !== null || areRows ? await withTexts(rows, runs, texts === 'whole' ? undefined : maxText) : rows,
    columns: grid?.columns ?? [],
    scoreKeys,
    areRows,
    constant: [
      ...constantColumns(runs, scoreKeys),
      ...(labels.of.size === 0 ? ['label'] : []),
      ...(labels.found.size === 0 ? ['suspects'] : []),
    ],
    facets: selection.facets,
  }
}

/** One trial tells, since a run is of one dataset. */
async function haveRows(runs: readonly RunResult[]): Promise<boolean> {
  const [run] = runs
  const [first] = run === undefined ? [] : trialsOf(run)
  const [item] = run === undefined || first === undefined ? [] : await itemsOf(run, [first])
  return item !== undefined && !hadWorkspace(item)
}

const valuesOf: { readonly [column: string]: (trial: Trial) => unknown } = {
  __proto__: null as never,
  bucket: ({ bucket }) => bucket,
  tags: ({ tags }) => tags.join(),
  cost: wholeCost,
  tokens: ({ usage }) => tokensOf(usage),
  time: takenMs,
}

/** A judge that never judged is worth seeing. */
const silent: readonly JudgmentStatus[] = ['abstain', 'error']

/** Finds the columns whose cells are all equal or empty. All columns distinguish a single trial. */
function constantColumns(runs: readonly RunResult[], scoreKeys: readonly string[]): readonly string[] {
  const trials = runs.flatMap(trialsOf)
  if (trials.length < 2) return []
  // Two values and an empty one tell that a column is not constant.
  const valuesIn = (of: (trial: Trial) => unknown) => {
    const values = new Set<unknown>()
    for (const trial of trials) if (values.add(of(trial) ?? null).size > 2) break
    return values
  }
  const isConstant = (values: ReadonlySet<unknown>) => values.size - Number(values.has(null)) < 2
  return [
    ...Object.entries(valuesOf).flatMap(([column, value]) => (isConstant(valuesIn(value)) ? [column] : [])),
    ...scoreKeys
      .filter((key) => {
        const values = valuesIn((trial) => scoreAt(trial, key) ?? trialJudges(trial)[key])
        return isConstant(values) && !silent.some((status) => values.has(status))
      })
      .map((key) => `score:${key}`),
  ]
}

interface Shown {
  readonly runs: readonly RunResult[]
  /** `undefined` for rows of trials. */
  readonly grid: ItemGrid | undefined
  readonly scoreKeys: readonly string[]
  readonly chosen: ChosenFilters
}

function rowOf(row: RowTrials, { runs, grid, scoreKeys, chosen }: Shown): ItemRow {
  const trials = trialsIn(row)
  const shown = shownTrial(trials.filter((trial) => fitsFilters(trial, chosen))) ?? (trials[0] as Trial)
  return {
    itemId: row.itemId,
    run: runs[row.byRun.findIndex((ofRun) => ofRun.includes(shown))]?.id ?? '',
    repetition: shown.repetition,
    outcome: outcomeOf(shown),
    reason: shortened(reasonOf(shown), maxReason),
    bucket: shown.bucket,
    tags: shown.tags,
    label: labelText(trials, chosen.labels),
    differs: trials.some((trial) => differsFromLabel(trial, chosen.labels.of.get(trial))),
    ...passesOf(trials),
    trials: trials.length,
    ...triedIn(...trials),
    suspects: suspectText(trials, chosen.labels),
    quarantine: runs.map((run) => quarantineReason(run, row.itemId)).find((reason) => reason !== '') ?? '',
    cells: (grid?.cellsOf(row) ?? []).map((attempts) => cellOf(attempts, chosen.labels)),
    scores: scoreKeys.map((key) => meanOf(trials.map((trial) => scoreAt(trial, key)))),
    said: scoreKeys.map((key) => statusForScore(key, trials)),
    costUsd: sumOf(trials.map(wholeCost)),
    agentUsd: sumOf(trials.map(({ costUsd }) => costUsd)),
    judgesUsd: sumOf(trials.map(({ judgeCostUsd }) => judgeCostUsd)),
    tokens: sumOf(trials.map(({ usage }) => tokensOf(usage))),
    durationMs: meanOf(trials.map(takenMs)),
  }
}

function statusForScore(key: string, trials: readonly Trial[]): JudgmentStatus | null {
  const said = new Set(trials.map((trial) => (scoreAt(trial, key) === null ? trialJudges(trial)[key] : undefined)))
  const [first] = said
  return said.size === 1 ? (first ?? null) : null
}

async function withTexts(
  rows: readonly ItemRow[],
  runs: readonly RunResult[],
  most: number | undefined,
): Promise<readonly ItemRow[]> {
  const texts = new Map<string, ItemRow['texts']>()
  for (const run of runs)
    for (const item of await itemsOf(
      run,
      rows.filter((row) => row.run === run.id),
    ))
      texts.set(`${run.id} ${trialKey(item)}`, textsOf(item, most))
  return rows.map((row) => {
    const found = texts.get(`${row.run} ${trialKey(row)}`)
    return found === undefined ? row : { ...row, texts: found }
  })
}

function textsOf(item: ItemResult, most = Number.POSITIVE_INFINITY): NonNullable<ItemRow['texts']> {
  const { task, detail } = item
  const output = detail?.kind === 'judge' ? detail.scorer.reasoning : asText(outputOf(item))
  return {
    input: shortened(task, most),
    output: shortened(output, most),
    expected: shortened(asText(expectedOutputOf(item) ?? undefined), most),
  }
}

export function whole(text: string | null, otherwise: number): number {
  const value = text === null ? Number.NaN : Number(text)
  return Number.isSafeInteger(value) && value >= 0 ? value : otherwise
}

export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text
}
