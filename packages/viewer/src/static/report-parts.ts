import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { scanKept } from '@jurist/experiment/internal'
import type { KeptScan } from '@jurist/experiment/internal/journal'
import { figuresOf, itemsOf, trialsOf } from '@jurist/experiment/internal/results'
import type { RunResult, Trial } from '@jurist/experiment/result'
import {
  documentAddress,
  partName,
  type ReportedRun,
  type ReportIndex,
  toColumns,
  trialsPerPart,
} from '../answers/report-data.js'
import type { RunLabels } from '../answers/run-reader.js'
import { runsInMemory } from '../answers/run-reader.js'
import type { ChangesDocument, ReadableDirectories } from '../files/changes.js'
import { serverAnswer } from '../files/file-answer.js'
import type { JournalDocument } from '../files/journals.js'
import { type LabelPlaces, runLabels } from '../files/stored-labels.js'

export const reportExtras = ['journals', 'changes'] as const

/** The name of something that a report can contain besides its runs. */
export type ReportExtra = (typeof reportExtras)[number]

export interface ReportPart {
  readonly name: string
  /** An array as columns, compressed with gzip and encoded in base64. */
  readonly data: string
}

/** Yields the parts of a report of these runs. Whole trials are read and compressed one part at a time. */
export async function* reportParts(
  runs: readonly RunResult[],
  {
    extras,
    directories,
    scans: given = {},
  }: {
    readonly extras: readonly ReportExtra[]
    readonly directories: ReadableDirectories & LabelPlaces
    /** Default: those in the store of `directories`. */
    readonly scans?: Readonly<Record<string, KeptScan>>
  },
): AsyncGenerator<ReportPart, void> {
  for (const [position, run] of runs.entries()) {
    const trials = trialsOf(run)
    for (let from = 0; from < trials.length; from += trialsPerPart) {
      const items = await itemsOf(run, trials.slice(from, from + trialsPerPart))
      yield await packed(partName.trials(position, from / trialsPerPart), items)
    }
  }
  const documents: Record<string, readonly [part: number, position: number]> = {}
  const labels: Record<string, RunLabels> = {}
  for (const run of runs) labels[run.id] = await runLabels(directories, run)
  const scans: Record<string, KeptScan> = {}
  const { store } = directories
  for (const run of runs) {
    const kept = given[run.id] ?? (store && (await scanKept(store, run)))
    if (kept) scans[run.id] = kept
  }
  const reader = runsInMemory(runs, { labels, scans })
  const read = (path: readonly string[], query: URLSearchParams) => serverAnswer(directories, reader, path, query)
  let part = 0
  for await (const some of inParts(documentsOf(runs, { extras, labels }, read))) {
    for (const [position, { address }] of some.entries()) documents[address] = [part, position]
    yield await packed(
      partName.documents(part),
      some.map(({ value }) => value),
    )
    part += 1
  }
  const index: ReportIndex = { runs: runs.map(reported), labels, scans, documents }
  yield await packed(partName.index, [index])
}

function reported(run: RunResult): ReportedRun {
  const { items, readItems, ...rest } = { items: undefined, readItems: undefined, ...run }
  return { ...rest, trials: trialsOf(run).map((trial: Trial) => ('verdict' in trial ? figuresOf(trial) : trial)) }
}

interface ReportDocument {
  readonly address: string
  readonly value: unknown
  readonly size: number
}

type ReadDocument = (path: readonly string[], query: URLSearchParams) => Promise<unknown>

/** Yields calibrations, and the journals and changes of all trials, as the server answers them. */
async function* documentsOf(
  runs: readonly RunResult[],
  { extras, labels }: { readonly extras: readonly ReportExtra[]; readonly labels: ReportIndex['labels'] },
  read: ReadDocument,
): AsyncGenerator<ReportDocument, void> {
  const document = async (path: readonly string[], query = new URLSearchParams()) => {
    const value = (await read(path, query)) ?? null
    return { address: documentAddress(path, query), value, size: JSON.stringify(value).length }
  }
  for (const run of runs) {
    if (run.kind === 'judge' || Object.keys(labels[run.id] ?? {}).length > 0)
      yield await document(['runs', run.id, 'calibration'])
    if (extras.includes('journals')) yield await document(['runs', run.id, 'behaviour'])
    for (const { itemId, repetition } of trialsOf(run)) {
      const path = ['runs', run.id, 'items', itemId, String(repetition)]
      if (extras.includes('journals')) yield* journalOf(path, document)
      if (extras.includes('changes')) yield* changesOf(path, document)
    }
  }
}

/** Yields the journal of a trial, in the parts that the page requests. */
async function* journalOf(
  path: readonly string[],
  document: (path: readonly string[], query: URLSearchParams) => Promise<ReportDocument>,
): AsyncGenerator<ReportDocument, void> {
  let [from, total] = [0, 0]
  do {
    const part = await document([...path, 'journal'], new URLSearchParams(from === 0 ? {} : { from: String(from) }))
    yield part
    const value = part.value as JournalDocument | null
    if (value?.state !== 'read' || value.records.length === 0) return
    from += value.records.length
    total = value.total
  } while (from < total)
}

/**
 * Yields the changes of a trial against its initial state and against its reference, with the files that the page
 * requests one by one.
 */
async function* changesOf(
  path: readonly string[],
  document: (path: readonly string[], query: URLSearchParams) => Promise<ReportDocument>,
): AsyncGenerator<ReportDocument, void> {
  for (const against of ['before', 'reference']) {
    const changes = await document([...path, 'changes'], new URLSearchParams({ against }))
    yield changes
    const value = changes.value as ChangesDocument | null
    if (value?.state !== 'compared') continue
    for (const file of value.files.filter(({ sides }) => sides === undefined))
      yield await document([...path, 'file'], new URLSearchParams({ against, path: file.path }))
  }
}

/** Documents are compressed together up to this number of characters. */
const mostInPart = 2_000_000

async function* inParts(documents: AsyncIterable<ReportDocument>): AsyncGenerator<readonly ReportDocument[], void> {
  let some: ReportDocument[] = []
  let size = 0
  for await (const document of documents) {
    some.push(document)
    size += document.size
    if (size < mostInPart) continue
    yield some
    some = []
    size = 0
  }
  if (some.length > 0) yield some
}

const compress = promisify(gzip)

async function packed(name: string, values: readonly unknown[]): Promise<ReportPart> {
  // Values in memory may have keys with `undefined`, which JSON does not have.
  const columns = toColumns(JSON.parse(JSON.stringify(values)))
  return { name, data: (await compress(JSON.stringify(columns))).toString('base64') }
}
