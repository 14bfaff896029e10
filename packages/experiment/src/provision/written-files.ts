import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryDirectory } from '@jurist/workspace/internal'
import type { ItemFiles } from '../dataset/item.js'

/** A new temporary directory with the files of an item. The caller deletes it. */
export function writtenFiles({ files }: ItemFiles): string {
  const directory = temporaryDirectory()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  return directory
}
