import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { below } from '../wrapper.js'

const deepest = 3
const mostDirectories = 5_000
const others = new Set(['node_modules', 'vendor'])

/** The directories in which packages of a workspace may lie, the root first; not those of what others wrote. */
export function projectDirectories(root: string): readonly string[] {
  const found = ['.']
  const add = (directory: string, depth: number) => {
    for (const entry of readdirSync(join(root, directory), { withFileTypes: true })) {
      if (!entry.isDirectory() || others.has(entry.name) || entry.name.startsWith('.')) continue
      if (found.length === mostDirectories) return
      const path = below(directory, entry.name)
      found.push(path)
      if (depth < deepest) add(path, depth + 1)
    }
  }
  add('.', 1)
  return found
}
