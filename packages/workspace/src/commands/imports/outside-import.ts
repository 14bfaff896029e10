import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Check, JsonObject } from '@jurist/core'
import { below } from '../command-target.js'

/** A package of the workspace that a run takes from somewhere else, so that not the judged work is tested. */
export interface OutsideImport {
  readonly name: string
  /** Where it comes from. */
  readonly from: string
  /** What makes it come from there, and what to do about it. */
  readonly remedy: string
  /** Whether the agent made it so, as far as that is known. */
  readonly isAgents: boolean
}

/** What is known of the packages that a run imports. */
export interface Imports {
  /** Variables that make the packages of the workspace win. */
  readonly env: { readonly [name: string]: string }
  /** Those that still come from outside. */
  readonly outside: readonly OutsideImport[]
  /** Packages that are installed elsewhere, and come from the workspace for this run: name and place. */
  readonly redirected: { readonly [name: string]: string }
  /** Removes what was made for the run. */
  readonly tidy: () => void
}

/** Nothing is known, or nothing comes from outside. */
export const noImports: Imports = { env: {}, outside: [], redirected: {}, tidy: () => {} }

/** The check that says which packages were not the judged ones. */
export function importCheck(outside: readonly OutsideImport[]): Check {
  return { name: 'imported_from', passed: false, message: outside.map(described).join('; ') }
}

/** A package and the place that it comes from, as a reader may see it. */
export function described({ name, from }: OutsideImport): string {
  return `${name} is imported from ${from}, not from the workspace`
}

/** The metadata on packages that a run had to be led back to. */
export function redirectedMetadata({ redirected }: Imports): JsonObject {
  return Object.keys(redirected).length === 0 ? {} : { importedFrom: { ...redirected } }
}

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
