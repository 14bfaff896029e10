import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { parseOrUndefined } from '@jurist/kit/json'

/** An entry of the manifest of a dataset. */
export interface ManifestEntry {
  readonly id: string
  readonly path: string
  readonly status?: string
}

/** A project that an earlier import made. */
export interface EarlierProject {
  /** Its manifest, which a person may have changed since. */
  readonly manifest: { readonly items: readonly ManifestEntry[] }
  /** The items that have their files; the others are imported again. */
  readonly whole: ReadonlySet<string>
}

/** The project of an earlier import of SWE-bench; `undefined` for any other directory. */
export async function earlierProject(root: string): Promise<EarlierProject | undefined> {
  const dataset = join(root, 'dataset')
  const manifest = await jsonIn(join(dataset, 'dataset.json'))
  if (!isPlainObject(manifest) || !isOfSwebench(manifest['metadata'])) return undefined
  const { items } = manifest
  if (!Array.isArray(items) || !items.every(isEntry)) return undefined
  const whole = new Set<string>()
  for (const { id, path } of items) {
    const item = await jsonIn(join(dataset, path, 'item.json'))
    if (isPlainObject(item) && item['beforeRef'] !== undefined) whole.add(id)
  }
  return { manifest: { ...manifest, items }, whole }
}

function isOfSwebench(metadata: unknown): boolean {
  return isPlainObject(metadata) && isPlainObject(metadata['source']) && metadata['source']['format'] === 'swe-bench'
}

function isEntry(value: unknown): value is ManifestEntry {
  return isPlainObject(value) && typeof value['id'] === 'string' && typeof value['path'] === 'string'
}

async function jsonIn(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : parseOrUndefined(text)
}
