import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { directoryOf, isInside } from '../../containment.js'
import type { Site } from '../site.js'
import { below } from '../wrapper.js'
import { type Imports, noImports, type OutsideImport } from './outside-import.js'
import { projectDirectories } from './project-directories.js'

const remedy = 'take the link away, or install the packages in the workspace itself'

/**
 * Leads links of `node_modules` back to the workspace: those of its own packages, as `npm link` and workspaces make them,
 * may lead to another checkout. In a copy they are made anew; in the workspace itself they are only found.
 *
 * @param copiedFrom the directory that the site is a copy of; a copy has no links that lead out
 */
export function nodeImports({ workspace, originals, cwd }: Site, copiedFrom: string | undefined): Imports {
  const { root } = workspace
  if (root === undefined) return noImports
  const places = [...new Set(['node_modules', below(cwd, 'node_modules')])].filter((one) => existsSync(join(root, one)))
  if (places.length === 0) return noImports
  const outside: OutsideImport[] = []
  const redirected: Record<string, string> = {}
  for (const [name, directory] of packagesOf(root))
    for (const place of places) {
      const path = `${place}/${name}`
      const from = leadsOut(copiedFrom ?? root, path)
      if (from === undefined) continue
      if (copiedFrom !== undefined) {
        rmSync(join(root, path), { recursive: true, force: true })
        mkdirSync(dirname(join(root, path)), { recursive: true })
        symlinkSync(relative(dirname(join(root, path)), join(root, directory)) || '.', join(root, path))
        redirected[name] = from
      } else outside.push({ name, from, remedy, isAgents: originals.length > 0 && !hasLink(originals, path, root) })
    }
  return { ...noImports, outside, redirected }
}

/** Where a link outside the workspace leads to; `undefined` for anything else. */
function leadsOut(root: string, path: string): string | undefined {
  const place = join(root, path)
  if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined
  try {
    const target = realpathSync(place)
    return isInside(root, target) ? undefined : target
  } catch {
    return undefined
  }
}

/** Whether the agent was given the same link. */
function hasLink(originals: Site['originals'], path: string, root: string): boolean {
  return originals.some((original) => {
    const directory = directoryOf(original)
    if (directory === undefined) return false
    const place = join(directory, path)
    if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return false
    return readlinkSync(place) === readlinkSync(join(root, path))
  })
}

/** The packages of the workspace: name and directory, the root first. */
function packagesOf(root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const directory of projectDirectories(root)) {
    const name = nameIn(join(root, directory, 'package.json'))
    if (name !== undefined && !found.has(name)) found.set(name, directory)
  }
  return found
}

function nameIn(file: string): string | undefined {
  try {
    if (!lstatSync(file).isFile()) return undefined
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const name = isPlainObject(manifest) ? manifest['name'] : undefined
    return typeof name === 'string' && /^(?:@[\w.-]+\/)?[\w-][\w.-]*$/.test(name) ? name : undefined
  } catch {
    // The agent may have left anything here.
    return undefined
  }
}
