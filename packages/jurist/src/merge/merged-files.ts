import { constants, existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { ItemResult } from '@jurist/experiment/result'
import { runDirectory, type StoredShard } from './shard-sources.js'

/** What a run keeps of its trials, by the names of its directories. In each of them a trial has a place of its own. */
const kept = ['workspaces', 'journal', 'agent'] as const

/** A line without any of these names no file of its item. In the text of a task their quotes would be escaped. */
const pathNames = ['"beforePath":"', '"referencePath":"'].map((name) => Buffer.from(name))

/** Copies what shards kept into the directory of the merged run: the trials find it under the same paths. */
export async function copyKept(shards: readonly StoredShard[], directory: string): Promise<void> {
  for (const shard of shards)
    for (const name of kept) {
      const source = join(runDirectory(shard), name)
      if (!existsSync(source)) continue
      // A link of an agent stays a link: what it leads to is not copied.
      await cp(source, join(directory, name), {
        recursive: true,
        verbatimSymlinks: true,
        mode: constants.COPYFILE_FICLONE,
      })
    }
}

/**
 * Changes the trials of a shard, as lines of `items.jsonl`, so that they have the paths of the files of items as seen from another results directory. A path that does not
 * lead anywhere from the shard, as in a bundle of another machine, stays: it was written in a directory like the other one.
 */
export function lineMover(from: string, to: string) {
  const known = new Map<string, string>()
  function moved(path: string | null): string | null {
    if (path === null || isAbsolute(path)) return path
    const place = known.get(path) ?? placeFrom(path)
    known.set(path, place)
    return place
  }
  function placeFrom(path: string): string {
    const place = resolve(from, path)
    return existsSync(place) ? relative(to, place).split(sep).join('/') : path
  }
  const mayChange = (lines: Buffer) => pathNames.some((name) => lines.includes(name))
  return {
    mayChange,
    changed(line: Buffer): Buffer {
      if (!mayChange(line)) return line
      const item = JSON.parse(line.toString()) as ItemResult
      const [beforePath, referencePath] = [moved(item.beforePath), moved(item.referencePath)]
      return Buffer.from(JSON.stringify({ ...item, beforePath, referencePath }))
    },
  }
}
