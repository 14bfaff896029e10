import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Check, JsonObject } from '@jurist/core'
import { below } from '../command-target.js'

/** A package of the workspace that a run imports from somewhere else, so that the judged work is not what is tested. */
export interface OutsideImport {
  readonly name: string
  readonly from: string
  /** Why it comes from there, and what to do about it. */
  readonly remedy: string
  /** Whether the agent caused it, if that is known. */
  readonly isAgents: boolean
}

export interface Imports {
  /** Variables that make the packages of the workspace take precedence. */
  readonly env: { readonly [name: string]: string }
  /** The packages that still come from outside. */
  readonly outside: readonly OutsideImport[]
  /** The names and places of packages that are installed elsewhere, but come from the workspace in this run. */
  readonly redirected: { readonly [name: string]: string }
  /** Removes what was created for the run. */
  readonly tidy: () => void
}

/** Nothing is known, or nothing comes from outside. */
export const noImports: Imports = { env: {}, outside: [], redirected: {}, tidy: () => {} }

/** The check that names packages from outside the judged work. */
export function importCheck(outside: readonly OutsideImport[]): Check {
  return { name: 'imported_from', passed: false, message: outside.map(described).join('; ') }
}

/** Names a package and the place that it comes from, for a reader. */
export function described({ name, from }: OutsideImport): string {
  return `${name} is imported from ${from}, not from the workspace`
}

export function redirectedMetadata({ redirected }: Imports): JsonObject {
  return Object.keys(redirected).length === 0 ? {} : { importedFrom: { ...redirected } }
}

const deepest = 3
const mostDirectories = 5_000
const others = new Set(['node_modules', 'vendor'])

/** Lists the directories that may contain packages of a workspace, the root first, without dependencies. */
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
