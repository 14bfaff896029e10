import { ballotsDocument } from './ballots.js'
import { calibrationDocument } from './calibration.js'
import { comparisonDocument } from './comparison.js'
import { itemDocument } from './item.js'
import { itemsDocument } from './items.js'
import { runDocument } from './run.js'
import type { Shelf } from './shelf.js'
import { variantsDocument } from './variants.js'

/**
 * What the page asks for, by path: the same whether a server answers or a static report answers itself.
 *
 * @returns `undefined` for what does not exist
 */
export async function answer(shelf: Shelf, path: readonly string[], query: URLSearchParams): Promise<unknown> {
  const [kind, id = '', ...rest] = path
  if (kind === 'compare') return compared(shelf, path, query)
  if (kind !== 'runs') return undefined
  if (path.length === 1) return { runs: await shelf.entries(), warnings: shelf.warnings() }
  const run = await shelf.run(id)
  if (run === undefined) return undefined
  const [part, itemId = '', repetition = ''] = rest
  switch (rest.length) {
    case 0:
      return runDocument(run, shelf)
    case 1:
      if (part === 'ballots') return ballotsDocument(run)
      if (part === 'calibration') return calibrationDocument(run)
      if (part === 'variants') return variantsDocument(run, shelf)
      return part === 'items' ? itemsDocument(run, query) : undefined
    case 3:
      return part === 'items' ? itemDocument(run, { itemId, repetition: Number(repetition) }) : undefined
    default:
      return undefined
  }
}

async function compared(shelf: Shelf, path: readonly string[], query: URLSearchParams): Promise<unknown> {
  const [, first = '', second = ''] = path
  const [baseline, candidate] = [await shelf.run(first), await shelf.run(second)]
  if (path.length !== 3 || baseline === undefined || candidate === undefined) return undefined
  return comparisonDocument(baseline, candidate, query)
}
