import { statSync } from 'node:fs'
import type { Json, JsonObject } from '@jurist/core'
import { checkOptions, option, optionInvalid } from '@jurist/core/internal'
import type { Dataset } from './dataset.js'
import { itemHash, once, reportNames, sha256, treeContents } from './hash.js'
import { type InlineItem, readInlineItem } from './inline-item.js'
import { type DatasetEntry, type ItemSource, rowId, type UnhashedItem } from './item.js'
import { noMetadata, readMetadata, warnOfReservedKeys, warnOfTags } from './item-fields.js'
import { contentsOfFiles } from './item-files.js'
import { collectProblems, type Identity, refuseErrors, reportDuplicates, type Spot } from './problem.js'
import type { ItemReading } from './read-dataset.js'
import { datasetOf } from './read-dataset.js'

/** A dataset written in the program. */
export interface InlineDataset {
  readonly name: string
  /** Default: 12 hex digits of a hash over the items. */
  readonly version?: string
  /** Default `''`. */
  readonly description?: string
  /** Default `{}`. */
  readonly metadata?: JsonObject
  readonly items: readonly InlineItem[]
}

const optionRules = {
  name: {
    wants: 'a string that is not blank',
    holds: (value: unknown) => typeof value === 'string' && value.trim() !== '',
  },
  version: option.string,
  description: option.string,
  metadata: option.record,
  items: { wants: 'an array of items', holds: Array.isArray },
}

/**
 * A dataset in memory.
 *
 * @throws `dataset-invalid` with every error of the items; `option-invalid`
 *
 * @example
 * import { dataset } from '@jurist/experiment/dataset'
 *
 * const capitals = dataset({ name: 'capitals', items: [{ task: 'What is the capital of France?', expectedOutput: 'Paris' }] })
 */
export function dataset(options: InlineDataset): Dataset {
  const { name, version, description = '', metadata, items: given } = checkOptions('dataset', options, optionRules)
  for (const required of ['name', 'items'] as const) if (options[required] === undefined) refuseWithout(required)
  const { problems, report } = collectProblems()
  const spot: Spot = { file: name, item: null, prefix: '', report }
  const width = String(given.length).length
  const items = Array.from(given, (item, index) =>
    readInlineItem(item, rowId(index + 1, width), { ...spot, prefix: `items[${index}]` }),
  ).filter((item) => item !== undefined)
  // With an invalid item the positions no longer match; its errors are reported anyway.
  if (items.length === given.length) reportDuplicates(name, items.map(identityOf), report)
  const ownMetadata = metadata === undefined ? noMetadata : readMetadata(metadata, spot)
  refuseErrors(name, problems)
  const readingOf = inlineReader(name)
  return datasetOf({
    name,
    version: version ?? versionOf(items),
    description,
    metadata: ownMetadata,
    directory: null,
    entries: Object.freeze(items.map(entryOf)),
    path: name,
    file: name,
    problems: [],
    files: null,
    readAt: (position) => readingOf(items[position] as UnhashedItem, position),
  })
}

function refuseWithout(option: 'name' | 'items'): never {
  optionInvalid(option, `dataset: "${option}" is missing; it must be ${optionRules[option].wants}.`)
}

function identityOf({ id, slug }: UnhashedItem): Identity {
  return { id, slug: slug === id ? undefined : slug, path: undefined }
}

function versionOf(items: readonly UnhashedItem[]): string {
  const hashes = items.map((item) =>
    itemHash(item, { before: { ...item.before }, reference: { ...item.reference }, input: item.input }),
  )
  return sha256(hashes.join('\n')).slice(0, 12)
}

function entryOf({ id, slug, path, bucket, taskType, status, metadata }: UnhashedItem): DatasetEntry {
  return Object.freeze({ id, slug, path, bucket, taskType, status, metadata })
}

/** Reads items of a dataset in memory: checks that their directories exist, and takes their hashes. */
function inlineReader(name: string): (item: UnhashedItem, position: number) => ItemReading {
  const hashes = new Map<number, () => Promise<string>>()
  return function readInline(item, position) {
    const { problems, report } = collectProblems()
    const spot: Spot = { file: name, item: item.id, prefix: `items[${position}]`, report }
    warnOfTags(item.tags, `${spot.prefix}.tags`, spot)
    warnOfReservedKeys(item.metadata, spot)
    for (const role of ['before', 'reference'] as const) checkDirectory(item[role], role, spot)
    const { before, reference, input } = item
    if (before === null && reference === null) {
      return { entry: item, item, problems, hash: () => itemHash(item, { before, reference, input }) }
    }
    const hash = hashes.get(position) ?? once(() => hashWithSources(item))
    hashes.set(position, hash)
    return { entry: item, item, problems, hash }
  }
}

function checkDirectory(source: ItemSource | null, role: string, spot: Spot): void {
  if (source?.type !== 'directory') return
  const { file, item, prefix, report } = spot
  const problem = `${JSON.stringify(source.path)} is not a directory.`
  if (statSync(source.path, { throwIfNoEntry: false })?.isDirectory()) reportNames(source.path, source.path, spot)
  else report({ file, item, field: `${prefix}.${role}`, problem, remedy: 'Name a directory that exists.' })
}

async function hashWithSources(item: UnhashedItem): Promise<string> {
  const before = await contentsOf(item.before)
  return itemHash(item, {
    before,
    input: item.input,
    reference: item.reference === item.before ? before : await contentsOf(item.reference),
  })
}

async function contentsOf(source: ItemSource | null): Promise<Json> {
  switch (source?.type) {
    case undefined:
      return null
    case 'directory':
      return treeContents(source.path)
    case 'files':
      return contentsOfFiles(source)
    case 'git':
      return { repoPath: source.repoPath, commitHash: source.commitHash, subDirectory: source.subDirectory }
    default:
      return source satisfies never
  }
}
