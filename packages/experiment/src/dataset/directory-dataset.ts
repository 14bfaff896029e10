import { realpathSync } from 'node:fs'
import { basename } from 'node:path'
import type { OpenDatasetOptions } from './dataset.js'
import type { DatasetEntry } from './item.js'
import { readItemDirectory } from './item-directory.js'
import { readJsonFile } from './json-file.js'
import { type Manifest, manifestFile, readManifest } from './manifest.js'
import { collectProblems, type DatasetProblem } from './problem.js'
import type { DatasetSource, ItemReading } from './read-dataset.js'

/** What opening gave. With errors the source is there only to look for more of them; `null`: not even that. */
export interface Opening {
  readonly source: DatasetSource | null
  readonly problems: readonly DatasetProblem[]
}

/** Reads `dataset.json` of a directory that exists. */
export async function openDirectory(path: string, options: OpenDatasetOptions): Promise<Opening> {
  const root = realpathSync(path)
  const { problems, report } = collectProblems()
  const value = await readJsonFile(root, { file: manifestFile, item: null, prefix: '', report })
  const manifest = value === undefined ? undefined : readManifest(value, root, options, report)
  return { source: manifest === undefined ? null : directorySource(path, root, manifest), problems }
}

/** Items are read once each, when they are first asked for. */
function directorySource(path: string, root: string, manifest: Manifest): DatasetSource {
  const { entries } = manifest
  const readings = new Map<number, Promise<ItemReading>>()
  const readAt = (position: number): Promise<ItemReading> => {
    const known = readings.get(position)
    if (known !== undefined) return known
    const entry = entries[position]
    if (entry === undefined) throw new RangeError(`There is no entry ${position}.`)
    const reading = readItemDirectory(root, entry)
    readings.set(position, reading)
    return reading
  }
  return {
    ...manifest,
    directory: root,
    path: `${basename(path)}/`,
    file: manifestFile,
    problems: [],
    files: { directory: root, path: '.' },
    readAt,
    read: async function* (wanted: (entry: DatasetEntry) => boolean) {
      for (const [position, entry] of entries.entries()) if (wanted(entry)) yield [await readAt(position)]
    },
  }
}
