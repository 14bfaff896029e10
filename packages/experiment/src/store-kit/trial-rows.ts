import { figuresOf } from '../result/item-figures.js'
import type { ItemResult } from '../result/records.js'
import { type TrialFigures, trialKey } from '../result/trial-figures.js'
import { figuresReader, figuresVersion } from '../store/figures-line.js'
import { itemFromLine, recordInvalid } from '../store/stored-record.js'
import type { TrialRow } from './store-backend.js'

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
export function figuresFrom(runId: string, texts: readonly string[]): readonly TrialFigures[] | undefined {
  const read = figuresReader()
  const figures: TrialFigures[] = []
  for (const text of texts) {
    const { version, trial } = parsed(text, runId) as { readonly version?: number; readonly trial?: unknown }
    if (version !== figuresVersion) return undefined
    figures.push(read(trial))
  }
  return figures
}

export function placeOf(runId: string): string {
  return `run ${runId}`
}

function parsed(text: string, runId: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return recordInvalid(placeOf(runId), '', 'a trial is not JSON')
  }
}
