import type { Json, JsonObject } from '@jurist/core'
import type { KeptScan } from '@jurist/experiment/internal/journal'
import { chosenItems, type RunOverview, type TrialName } from '@jurist/experiment/internal/results'
import type { ItemResult } from '@jurist/experiment/result'
import type { RunLabels } from './run-reader.js'

/** How many whole trials are compressed together. */
export const trialsPerPart = 2_000

/** A run of a report without its whole trials. */
export type ReportedRun = Omit<RunOverview, 'readItems'>

/** The index of a report: its runs, and where the other documents are. */
export interface ReportIndex {
  readonly runs: readonly ReportedRun[]
  /** Keyed by the ids of the runs. */
  readonly labels: Readonly<Record<string, RunLabels>>
  /** Keyed by the ids of the runs; absent for runs that were never scanned. */
  readonly scans: Readonly<Record<string, KeptScan>>
  /** The part that contains the document at an address, such as a journal, and its position there. */
  readonly documents: Readonly<Record<string, readonly [part: number, position: number]>>
}

/**
 * The names of the parts of a report: its index, some trials of a run, or some documents. Each part is an array as
 * columns, compressed with gzip and encoded in base64. The array of the index has one value.
 */
export const partName = {
  index: 'report-index',
  trials: (run: number, part: number) => `report-trials-${run}-${part}`,
  documents: (part: number) => `report-documents-${part}`,
} as const

/** Returns the address of a document, with its query in a fixed order. */
export function documentAddress(path: readonly string[], query: URLSearchParams): string {
  const sorted = new URLSearchParams(query)
  sorted.sort()
  return `${path.map(encodeURIComponent).join('/')}?${sorted}`
}

export type ReadPart = (name: string) => Promise<readonly unknown[]>

/** Returns the run at a position of the index. Its whole trials are read from their parts on demand. */
export function reportedRun(run: ReportedRun, position: number, read: ReadPart): RunOverview {
  const readPart = async (part: number) => (await read(partName.trials(position, part))) as readonly ItemResult[]
  return {
    ...run,
    async readItems(wanted?: readonly TrialName[]) {
      const parts = wanted === undefined ? partsOf(run) : partsWith(run, wanted)
      const items: ItemResult[] = []
      for (const part of parts) items.push(...(await readPart(part)))
      return chosenItems(items, wanted)
    },
  }
}

function partsOf({ trials }: ReportedRun): readonly number[] {
  return Array.from({ length: Math.ceil(trials.length / trialsPerPart) }, (_, part) => part)
}

function partsWith({ trials }: ReportedRun, wanted: readonly TrialName[]): readonly number[] {
  const parts = new Set<number>()
  for (const { itemId, repetition } of wanted) {
    const at = trials.findIndex((trial) => trial.itemId === itemId && trial.repetition === repetition)
    if (at >= 0) parts.add(Math.floor(at / trialsPerPart))
  }
  return [...parts]
}

/**
 * JSON values as columns: `same`, one value and its number; `values`, strings, numbers, booleans and `null` as they
 * are; or objects and arrays by shape: the shape of each value, and a column for each place of a shape. Values of one
 * kind are next to each other, so that gzip finds repetitions: stored trials take a third less than by rows.
 */
export type Columns =
  | readonly ['same', count: number, value: Json]
  | readonly ['values', readonly Json[]]
  | readonly ['shapes', shapeOfEach: Columns, readonly ShapeColumns[]]

interface ShapeColumns {
  /** The keys of objects, the length of arrays, or `null` for other values, which have one column. */
  readonly shape: readonly string[] | number | null
  readonly columns: readonly Columns[]
}

/** Turns values into columns. `fromColumns` is the inverse. */
export function toColumns(values: readonly Json[]): Columns {
  const [first] = values
  if (first === undefined) return ['values', []]
  if (!values.some((value) => typeof value === 'object' && value !== null))
    return values.every((value) => value === first) ? ['same', values.length, first] : ['values', values]
  const byShape = new Map<string, { readonly number: number; readonly alike: Json[] }>()
  const shapes = values.map((value) => {
    const key = JSON.stringify(shapeOf(value))
    const known = byShape.get(key) ?? { number: byShape.size, alike: [] }
    known.alike.push(value)
    byShape.set(key, known)
    return known.number
  })
  return ['shapes', toColumns(shapes), [...byShape.values()].map(({ alike }) => columnsOf(alike))]
}

function shapeOf(value: Json | undefined): ShapeColumns['shape'] {
  if (Array.isArray(value)) return value.length
  return typeof value === 'object' && value !== null ? Object.keys(value) : null
}

function columnsOf(alike: readonly Json[]): ShapeColumns {
  const shape = shapeOf(alike[0])
  if (shape === null) return { shape, columns: [toColumns(alike)] }
  const places: readonly (string | number)[] =
    typeof shape === 'number' ? Array.from({ length: shape }).map((_, at) => at) : shape
  const at = (place: string | number) => alike.map((value) => (value as JsonObject)[place] as Json)
  return { shape, columns: places.map((place) => toColumns(at(place))) }
}

export function fromColumns(columns: Columns): readonly Json[] {
  switch (columns[0]) {
    case 'same':
      return new Array<Json>(columns[1]).fill(columns[2])
    case 'values':
      return columns[1]
    case 'shapes': {
      const [, shapes, ofEach] = columns
      const readers = ofEach.map(readerOf)
      return fromColumns(shapes).map((shape) => readers[shape as number]?.() as Json)
    }
    default:
      return columns satisfies never
  }
}

function readerOf({ shape, columns }: ShapeColumns): () => Json {
  const all = columns.map(fromColumns)
  let at = 0
  return () => {
    const values = all.map((column) => column[at] as Json)
    at += 1
    if (shape === null) return values[0] as Json
    return typeof shape === 'number'
      ? values
      : Object.fromEntries(shape.map((key, index) => [key, values[index] as Json]))
  }
}
