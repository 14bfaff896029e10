import { JuristError } from '@jurist/core'
import { figuresOf, figuresReader, figuresVersion } from '../result/item-figures.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { overviewOf } from '../result/summarize.js'
import { type RunOverview, type TrialFigures, trialKey } from '../result/trial-figures.js'
import { checkRunId, checkSafeName } from '../store/names.js'
import {
  currentHead,
  endedHead,
  entryOf,
  inResultOrder,
  manifestOf,
  type RunHead,
  recordOf,
  runningHead,
  storedResult,
} from '../store/run-head.js'
import type { RunEnd, RunEntry, RunManifest } from '../store/store.js'
import { itemFromLine, recordInvalid, runHeadFromJson } from '../store/stored-record.js'
import type { HeadRow, ListedRun, NewRun, ReadRun, StoreBackend, TrialRow } from './store-backend.js'

export function trialRow(item: ItemResult): TrialRow {
  const { itemId, repetition, passed } = item
  const figures = JSON.stringify({ version: figuresVersion, trial: figuresOf(item) })
  return { itemId, repetition, decided: passed !== null, record: JSON.stringify(item), figures }
}

/** Trials without those that a later one of the same item and repetition replaces, in the order of first appearance. */
export function distinctRows(rows: readonly TrialRow[]): readonly TrialRow[] {
  const byName = new Map<string, TrialRow>()
  for (const row of rows) if (byName.get(trialKey(row))?.decided !== true) byName.set(trialKey(row), row)
  return [...byName.values()]
}

/**
 * Whole trials from their records.
 *
 * @throws `record-invalid` naming the run, the trial and the field
 */
export function itemsFrom(runId: string, records: readonly string[]): readonly ItemResult[] {
  return records.map((record, index) => itemFromLine(parsed(record, runId), placeOf(runId), index + 1))
}

/** Parses figures; `undefined` if some have another version and must be derived from the records again. */
function figuresFrom(runId: string, texts: readonly string[]): readonly TrialFigures[] | undefined {
  const read = figuresReader()
  const figures: TrialFigures[] = []
  for (const text of texts) {
    const { version, trial } = parsed(text, runId) as { readonly version?: number; readonly trial?: unknown }
    if (version !== figuresVersion) return undefined
    figures.push(read(trial))
  }
  return figures
}

function placeOf(runId: string): string {
  return `run ${runId}`
}

function parsed(text: string, runId: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return recordInvalid(placeOf(runId), '', 'a trial is not JSON')
  }
}

/**
 * The head of a run that was read.
 *
 * @throws `record-invalid` for a damaged one
 */
export function headIn(id: string, { head }: ReadRun): RunHead {
  return runHeadFromJson(head, placeOf(id))
}

/** A run with its items; `undefined` when unknown. */
export async function loadRun(backend: StoreBackend, id: string): Promise<ExperimentResult | undefined> {
  const run = await backend.read(id, 'records')
  return run && storedResult(headIn(id, run), itemsFrom(id, run.trials), run.held)
}

/** The overview of a run whose figures were read. Whole trials are read later. */
export async function overviewFrom(backend: StoreBackend, head: RunHead, read: ReadRun): Promise<RunOverview> {
  const { id } = head
  const trials = inResultOrder(await figuresIn(backend, id, read), head)
  return overviewOf({
    ...recordOf(currentHead(head, trials, read.held)),
    trials,
    async readItems(wanted) {
      if (wanted === undefined) {
        const run = (await backend.read(id, 'records')) ?? hasChanged(id)
        return inResultOrder(itemsFrom(id, run.trials), head)
      }
      const items = itemsFrom(id, await backend.records(id, wanted))
      return items.length === wanted.length ? items : hasChanged(id)
    },
  })
}

/** The figures of a run; made again from the records where another version wrote them. */
async function figuresIn(backend: StoreBackend, id: string, { trials }: ReadRun): Promise<readonly TrialFigures[]> {
  const known = figuresFrom(id, trials)
  if (known !== undefined) return known
  const run = await backend.read(id, 'records')
  return itemsFrom(id, run?.trials ?? []).map(figuresOf)
}

/** The entries of all runs, or of those of one experiment. */
export async function entriesOf(
  backend: StoreBackend,
  experimentName: string | undefined,
): Promise<readonly RunEntry[]> {
  const entries: RunEntry[] = []
  for (const run of await backend.list(experimentName)) {
    const entry = entryIn(run) ?? (await entryFrom(backend, run))
    if (entry !== undefined) entries.push({ ...entry, excluded: run.excluded })
  }
  return entries
}

/** The stored entry of a run that has ended and is not held. One of an older version, which lacks fields, is made again. */
function entryIn({ entry, held }: ListedRun): RunEntry | undefined {
  if (entry === null || held) return undefined
  const stored = JSON.parse(entry) as RunEntry
  return typeof stored.counts === 'object' && stored.judgeCostUsd !== undefined ? stored : undefined
}

/** The entry of a run from its head and its figures. A run that is damaged, or gone, is left out. */
async function entryFrom(backend: StoreBackend, { id }: ListedRun): Promise<RunEntry | undefined> {
  try {
    const run = await backend.read(id, 'figures')
    if (run === undefined) return undefined
    const head = headIn(id, run)
    const { trials } = await overviewFrom(backend, head, run)
    return entryOf(currentHead(head, trials, run.held), trials, run.excluded)
  } catch (thrown) {
    if (!JuristError.is(thrown, 'record-invalid')) throw thrown
    process.emitWarning(`Run ${id} was left out of the list. ${thrown.message}`, { type: 'JuristWarning' })
    return undefined
  }
}

function hasChanged(id: string): never {
  throw new JuristError('store-failed', `Run ${id} has changed since it was loaded. Load it again.`, { path: id })
}

/**
 * The row of a run that begins, or continues.
 *
 * @throws `run-unknown`, `name-invalid` for names that are not valid
 */
export function runningRow(manifest: RunManifest): NewRun {
  const head = runningHead(checkedNames(manifest))
  return { id: head.id, experimentName: head.experimentName, head: JSON.stringify(head), entry: null }
}

/**
 * The facts of a run that are known since it began.
 *
 * @throws `record-invalid` for a damaged head
 */
export function manifestIn(id: string, head: string): RunManifest {
  return manifestOf(runHeadFromJson(head, placeOf(id)))
}

/** The row of a run that ends, from what is stored of it; `undefined` when it is unknown. */
export async function endedRow(
  backend: StoreBackend,
  id: string,
  { endedAt, ...end }: RunEnd & { readonly endedAt: string },
): Promise<HeadRow | undefined> {
  const run = await backend.read(id, 'figures')
  if (run === undefined) return undefined
  const head = { ...endedHead(headIn(id, run), end), endedAt }
  const { trials } = await overviewFrom(backend, head, { ...run, held: false })
  return { head: JSON.stringify(head), entry: JSON.stringify(entryOf(head, trials, null)) }
}

/** The run, when it can have a row. */
export function checkedNames<Run extends Pick<RunManifest, 'id' | 'experimentName'>>(run: Run): Run {
  checkRunId(run.id)
  checkSafeName(run.experimentName, 'an experiment')
  return run
}
