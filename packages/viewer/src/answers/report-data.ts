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
