import { asText } from '@jurist/core'
import { expectedOutputOf, itemsOf, outputOf, trialsOf } from '@jurist/experiment/internal/results'
import type { ItemResult, RunResult, Trial } from '@jurist/experiment/result'
import { type Attempt, attemptsByItem } from './comparison.js'
import { shortened, whole } from './items.js'
import { revisionOf } from './run.js'

/** The output of one run for an item: its attempts, and the beginning of the first output. */
export interface OutputCell {
  readonly attempts: readonly Attempt[]
  /** The attempt that `output` belongs to. */
  readonly repetition: number
  readonly output: string
}

export interface OutputRow {
  readonly itemId: string
  readonly task: string
  readonly expected: string | null
  /** In the order of the runs; `null` if a run does not have the item. */
  readonly cells: readonly (OutputCell | null)[]
}

export interface OutputsDocument {
  readonly revision: string
  readonly runs: readonly Pick<RunResult, 'id' | 'experimentName' | 'variant' | 'startedAt'>[]
  readonly total: number
  readonly offset: number
  readonly rows: readonly OutputRow[]
}

const maxRows = 100
/** How many runs fit next to each other. */
const maxRuns = 12
/** How many characters of a string a cell shows. The trial has all of it. */
const maxText = 600

/**
 * Returns a page of the outputs of runs, side by side. `q` is a part of an item's id; `show=differ` keeps the items
 * whose pass rates differ between the runs; `offset` and `limit` select a page of at most 100 rows. Items are in the
 * order of the first run.
 */
export async function outputsDocument(all: readonly RunResult[], query: URLSearchParams): Promise<OutputsDocument> {
  const runs = all.slice(0, maxRuns)
  const found = runs.map(attemptsByItem)
  const words = (query.get('q') ?? '').trim().toLowerCase()
  const isWanted = (itemId: string) =>
    itemId.toLowerCase().includes(words) &&
    (query.get('show') !== 'differ' || new Set(found.map((ofRun) => passShare(ofRun.get(itemId)))).size > 1)
  const ids = [...new Set(found.flatMap((ofRun) => [...ofRun.keys()]))].filter(isWanted)
  const offset = whole(query.get('offset'), 0)
  const limit = Math.min(maxRows, whole(query.get('limit'), maxRows))
  const shown = ids.slice(offset, offset + limit)
  const items = await Promise.all(runs.map((run) => firstTrials(run, new Set(shown))))
  return {
    revision: runs.map(revisionOf).join(' '),
    runs: runs.map(({ id, experimentName, variant, startedAt }) => ({ id, experimentName, variant, startedAt })),
    total: ids.length,
    offset,
    rows: shown.map((itemId) => {
      const ofRuns = items.map((ofRun) => ofRun.get(itemId))
      const [first] = ofRuns.filter((item) => item !== undefined)
      const expected = first === undefined ? null : expectedOutputOf(first)
      return {
        itemId,
        task: shortened(first?.task ?? '', maxText),
        expected: expected === null ? null : shortened(asText(expected), maxText),
        cells: ofRuns.map((item, at) => (item === undefined ? null : cellOf(item, found[at]?.get(itemId) ?? []))),
      }
    }),
  }
}

function passShare(attempts: readonly Attempt[] = []): number {
  return attempts.length === 0 ? -1 : attempts.filter(({ outcome }) => outcome === 'pass').length / attempts.length
}

/** Reads the first attempt of a run at each of these items. */
async function firstTrials(run: RunResult, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, ItemResult>> {
  const first = new Map<string, Trial>()
  for (const trial of trialsOf(run)) {
    const known = first.get(trial.itemId)
    if (ids.has(trial.itemId) && (known === undefined || trial.repetition < known.repetition))
      first.set(trial.itemId, trial)
  }
  const items = await itemsOf(run, [...first.values()])
  return new Map(items.map((item) => [item.itemId, item]))
}

function cellOf(item: ItemResult, attempts: readonly Attempt[]): OutputCell {
  const { repetition, detail } = item
  const output = detail?.kind === 'judge' ? detail.judgment.reasoning : asText(outputOf(item))
  return { attempts, repetition, output: shortened(output, maxText) }
}
