import { lstat, readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { isNowhere } from './disk.js'
import type { KeptFile } from './store.js'

/** The files below a directory, with their sizes. A link is a file of its own; what vanishes meanwhile is left out. */
export async function filesBelow(directory: string): Promise<readonly KeptFile[]> {
  const files: KeptFile[] = []
  const left = [directory]
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    const place = at
    const entries = await orNothing(readdir(place, { withFileTypes: true }))
    for (const entry of entries ?? []) {
      const path = join(place, entry.name)
      if (entry.isDirectory()) left.push(path)
      else {
        const found = await orNothing(lstat(path))
        if (found !== undefined) files.push({ path: relative(directory, path).replaceAll(sep, '/'), bytes: found.size })
      }
    }
  }
  return files
}

async function orNothing<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked
  } catch (thrown) {
    if (isNowhere(thrown)) return undefined
    throw thrown
  }
}
