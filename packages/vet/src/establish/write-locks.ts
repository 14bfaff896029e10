import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dataset, DatasetItem } from '@jurist/experiment'
import type { EstablishedItem } from './establish-report.js'

/**
 * Writes `tests.lock.json` of each item that is solvable and whose tests tell its reference from nothing. Items without a
 * directory of their own have no place for it.
 *
 * @returns the files that changed, relative to the dataset
 */
export async function writeLocks(
  { directory }: Dataset,
  items: ReadonlyMap<string, DatasetItem>,
  established: readonly EstablishedItem[],
): Promise<readonly string[]> {
  if (directory === null) return []
  const written: string[] = []
  for (const { itemId, solvable, tests, lock } of established) {
    const path = items.get(itemId)?.path ?? null
    if (path === null || tests === null || solvable !== true || lock === 'same' || tests.failToPass.length === 0)
      continue
    const file = join(path, 'tests.lock.json')
    const whole = join(directory, `${file}.${process.pid}`)
    await writeFile(whole, `${JSON.stringify(tests, null, 2)}\n`)
    await rename(whole, join(directory, file))
    written.push(file)
  }
  return written
}
