import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import type { Json } from '@jurist/core'
import { sha256 } from './hash.js'

const chunkBytes = 1024 * 1024
/** Other work gets a turn after this much. */
const bytesBetweenPauses = 16 * chunkBytes
const filesBetweenPauses = 100

/**
 * What a directory holds, as (path, size in bytes, SHA-256) of every file, sorted by path. Links count by their target
 * and are never followed; `.git` directories are left out, as they are in workspaces.
 */
export async function treeContents(directory: string): Promise<Json> {
  const contents: [path: string, size: number, hash: string][] = []
  const buffer = Buffer.allocUnsafe(chunkBytes)
  let bytes = 0
  for (const { path, link } of filesBelow(directory)) {
    const absolute = join(directory, path)
    const [size, hash] = link ? [0, sha256(`link to ${readlinkSync(absolute)}`)] : contentOf(absolute, buffer)
    contents.push([path, size, hash])
    bytes += size
    if (bytes < bytesBetweenPauses && contents.length % filesBetweenPauses !== 0) continue
    bytes = 0
    await pause()
  }
  return contents.sort(([a], [b]) => (a < b ? -1 : 1))
}

interface Content {
  readonly path: string
  readonly link: boolean
}

/** Files and links, directory by directory. */
function* filesBelow(directory: string, under = ''): Generator<Content, void> {
  for (const entry of readdirSync(join(directory, under), { withFileTypes: true })) {
    const path = under === '' ? entry.name : `${under}/${entry.name}`
    if (entry.isDirectory()) {
      if (entry.name !== '.git') yield* filesBelow(directory, path)
    } else if (entry.isFile() || entry.isSymbolicLink()) yield { path, link: entry.isSymbolicLink() }
  }
}

function contentOf(path: string, buffer: Buffer): readonly [size: number, hash: string] {
  const file = openSync(path, 'r')
  try {
    const hash = createHash('sha256')
    let size = 0
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
      hash.update(buffer.subarray(0, read))
      size += read
    }
    return [size, hash.digest('hex')]
  } finally {
    closeSync(file)
  }
}

/** A function that computes its value on the first call and always returns the same promise. */
export function once<Value>(compute: () => Promise<Value>): () => Promise<Value> {
  let result: Promise<Value> | undefined
  return () => {
    result ??= compute()
    return result
  }
}
