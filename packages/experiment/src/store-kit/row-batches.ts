import { keyOf } from '../result/trial-figures.js'
import type { TrialRow } from './store-backend.js'

interface Waiting {
  readonly row: TrialRow
  readonly stored: () => void
  readonly failed: (thrown: unknown) => void
}

/** Rows on their way to a backend: those that come while others are written go out together. */
export interface RowBatches {
  /** Resolves when the row is stored. */
  add(row: TrialRow): Promise<void>
  /** Resolves when no row is on its way. */
  idle(): Promise<void>
}

const maxRows = 100
const maxLength = 8 * 1024 * 1024

/** Batches of rows, no two of the same trial in one batch. */
export function rowBatches(write: (rows: readonly TrialRow[]) => Promise<void>): RowBatches {
  let waiting: readonly Waiting[] = []
  let writing: Promise<void> | undefined

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSize(waiting))
      waiting = waiting.slice(batch.length)
      try {
        await write(batch.map(({ row }) => row))
        for (const { stored } of batch) stored()
      } catch (thrown) {
        for (const { failed } of batch) failed(thrown)
      }
    }
    writing = undefined
  }

  return {
    add: (row) =>
      new Promise((stored, failed) => {
        waiting = [...waiting, { row, stored, failed }]
        writing ??= drain()
      }),
    async idle() {
      await writing
    },
  }
}

/** How many of those that wait may go out together. */
function batchSize(waiting: readonly Waiting[]): number {
  const seen = new Set<string>()
  let length = 0
  for (const { row } of waiting) {
    length += row.record.length
    if (seen.size === maxRows || seen.has(keyOf(row)) || (seen.size > 0 && length > maxLength)) break
    seen.add(keyOf(row))
  }
  return seen.size
}
