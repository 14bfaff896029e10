import { statSync } from 'node:fs'
import type { Json } from '@jurist/core'
import { itemHash } from './hash.js'
import type { ItemSource, UnhashedItem } from './item.js'
import { warnOfTags } from './item-file.js'
import { once } from './once.js'
import type { Spot } from './problem.js'
import { collectProblems } from './problem.js'
import type { ItemReading } from './read-dataset.js'
import { warnOfReservedKeys } from './reserved-metadata.js'
import { treeContents } from './tree-contents.js'

/** A function that looks at an item of a dataset in memory: whether its directories are there, and its hash. */
export function inlineReader(name: string): (items: readonly UnhashedItem[], position: number) => ItemReading {
  const hashes = new Map<number, () => Promise<string>>()
  return function readInline(items, position) {
    const item = items[position]
    if (item === undefined) throw new RangeError(`There is no item ${position}.`)
    const { problems, report } = collectProblems()
    const spot: Spot = { file: name, item: item.id, prefix: `items[${position}]`, report }
    warnOfTags(item.tags, `${spot.prefix}.tags`, spot)
    warnOfReservedKeys(item.metadata, spot)
    for (const role of ['before', 'reference'] as const) checkDirectory(item[role], role, spot)
    const { before, reference } = item
    if (before === null && reference === null) {
      return { entry: item, item, problems, hash: () => itemHash(item, { before, reference }) }
    }
    const hash = hashes.get(position) ?? once(() => hashWithSources(item))
    hashes.set(position, hash)
    return { entry: item, item, problems, hash }
  }
}

function checkDirectory(source: ItemSource | null, role: string, { file, item, prefix, report }: Spot): void {
  if (source?.type !== 'directory' || statSync(source.path, { throwIfNoEntry: false })?.isDirectory()) return
  const problem = `${JSON.stringify(source.path)} is no directory.`
  report({ file, item, field: `${prefix}.${role}`, problem, remedy: 'Name a directory that exists.' })
}

async function hashWithSources(item: UnhashedItem): Promise<string> {
  const before = await contentsOf(item.before)
  return itemHash(item, {
    before,
    reference: item.reference === item.before ? before : await contentsOf(item.reference),
  })
}

async function contentsOf(source: ItemSource | null): Promise<Json> {
  switch (source?.type) {
    case undefined:
      return null
    case 'directory':
      return treeContents(source.path)
    case 'git':
      return { repoPath: source.repoPath, commitHash: source.commitHash, subDirectory: source.subDirectory }
    default:
      return source satisfies never
  }
}
