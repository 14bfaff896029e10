import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import type { Dataset, DatasetItem } from '@jurist/experiment/dataset'
import { likeness } from '@jurist/experiment/internal/results'
import { localWorkspace } from '@jurist/workspace'
import { jaccard, keyOf, type Signature, shingles } from './failure.js'

/** The compared features of an item: no names of files, no values, no order of lines. */
export interface Features {
  readonly task: ReadonlySet<string>
  /** `null`: it has no files. */
  readonly lines: ReadonlySet<string> | null
  /** `null`: it was not promoted. */
  readonly signature: string | null
}

export interface NearItem {
  readonly id: string
  /** 0 to 1. */
  readonly similarity: number
}

const [mostFiles, mostBytes] = [300, 2_000_000]

/** The lines of the files of a directory, without values; of large directories the first 300 files or 2 MB. */
export async function linesOf(directory: string): Promise<ReadonlySet<string>> {
  const lines = new Set<string>()
  let [files, bytes] = [0, 0]
  for await (const { path, type, sizeBytes } of localWorkspace(directory).list()) {
    if (type !== 'file' || /(?:^|\/)(?:node_modules|\.git)\//.test(path)) continue
    files += 1
    bytes += sizeBytes
    if (files > mostFiles || bytes > mostBytes) break
    const content = await readFile(join(directory, path))
    if (content.includes(0)) continue
    for (const line of content.toString().split('\n')) {
      const plain = likeness(line.replace(/\s+/g, ' ').trim())
      if (plain.length > 2) lines.add(plain)
    }
  }
  return lines
}

/** The compared features of an item: what it asks (task, input and script of a user), its lines, and its failure. */
export function featuresOf(
  { task, input, metadata: { scenario } }: Pick<DatasetItem, 'task' | 'input' | 'metadata'>,
  lines: ReadonlySet<string> | null,
  signature: Signature | null,
): Features {
  const script = isPlainObject(scenario) ? scenario['messages'] : undefined
  const asked = [task, ...(input === null ? [] : [JSON.stringify(input)]), ...(Array.isArray(script) ? script : [])]
  return { task: shingles(likeness(asked.join('\n'))), lines, signature: signature === null ? null : keyOf(signature) }
}

/** The mean of what is alike of two items: their tasks, their files, and, where both were promoted, their failures. */
export function similarityOf(one: Features, other: Features): number {
  const parts = [
    jaccard(one.task, other.task),
    ...(one.lines === null && other.lines === null ? [] : [jaccard(one.lines ?? new Set(), other.lines ?? new Set())]),
    ...(one.signature === null || other.signature === null ? [] : [Number(one.signature === other.signature)]),
  ]
  return parts.reduce((sum, part) => sum + part, 0) / parts.length
}

/** The trial that a promoted item was made from: `run/id#repetition`, and the failure. */
export interface PromotedFrom {
  readonly trial: string
  readonly signature: Signature
}

function promotedFrom({ metadata }: Pick<DatasetItem, 'metadata'>): PromotedFrom | null {
  const source = isPlainObject(metadata['source']) ? metadata['source'] : {}
  const { signature: given, run, item, repetition } = source
  if (!isPlainObject(given)) return null
  const { judge, check, place, reason } = given as Partial<Record<keyof Signature, unknown>>
  const known = [judge, check, place, reason]
  if (!known.every((part) => typeof part === 'string')) return null
  return { trial: `${run}/${item}#${repetition}`, signature: { judge, check, place, reason } as Signature }
}

/** The items of a dataset, without broken ones. */
async function* itemsIn(dataset: Dataset | null): AsyncGenerator<DatasetItem> {
  for (const { id } of dataset?.entries ?? []) {
    const item = await dataset?.item(id).catch(() => undefined)
    if (item !== undefined) yield item
  }
}

/** The id of the first promoted item of a dataset that fits. */
export async function promotedItem(
  dataset: Dataset | null,
  fits: (from: PromotedFrom) => boolean,
): Promise<string | undefined> {
  for await (const item of itemsIn(dataset)) {
    const from = promotedFrom(item)
    if (from !== null && fits(from)) return item.id
  }
  return undefined
}

/**
 * The items of a dataset that are most like a new one, the nearest first.
 *
 * @param except the item that the new one is made of, where it is no copy of it
 */
export async function nearItems(
  dataset: Dataset | null,
  features: Features,
  except: string | null,
): Promise<readonly NearItem[]> {
  const near: NearItem[] = []
  for await (const item of itemsIn(dataset)) {
    if (item.id === except) continue
    const lines = item.before?.type === 'directory' ? await linesOf(item.before.path) : null
    const signature = promotedFrom(item)?.signature ?? null
    near.push({ id: item.id, similarity: similarityOf(features, featuresOf(item, lines, signature)) })
  }
  return near.sort((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1))
}
