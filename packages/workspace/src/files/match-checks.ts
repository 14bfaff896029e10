import type { Check } from '@jurist/core'
import type { ContentComparison } from './compare-contents.js'
import type { EntryOutcome } from './compare-entry.js'
import { escaped, shortened } from './quotation.js'
import { maxTreeEntries } from './tree/file-tree.js'

/** The check of one file of the reference. */
export function checkOf(path: string, outcome: EntryOutcome | 'identical'): Check {
  if (outcome === 'identical') return { name: nameOf(path), location: { path }, passed: true, message: 'identical' }
  const place = { name: nameOf(path), location: { path } }
  if (outcome.kind !== 'compared') return { ...place, passed: false, message: outcome.message }
  const { message, line } = verdictOf(outcome.comparison)
  const passed = outcome.comparison.result !== 'differs'
  return { ...place, passed, message, location: line === undefined ? { path } : { path, line } }
}

/** What a comparison comes to in one line, and where in the workspace. */
export function verdictOf({ result, by, differences }: ContentComparison): {
  readonly message: string
  readonly line?: number
} {
  const [first] = differences
  if (first === undefined) return { message: result === 'identical' ? result : `equivalent by ${by}` }
  const line = first.line ?? first.enclosingLine
  return { message: first.message, ...(line === undefined ? {} : { line }) }
}

/** A failed check for every file that the reference does not have. */
export function extraChecks(paths: readonly string[]): readonly Check[] {
  return paths.map((path) => ({
    name: nameOf(path),
    passed: false,
    message: 'not in the reference',
    location: { path },
  }))
}

/** A failed check for every directory that cannot be listed: nobody knows what else is in it. */
export function unlistedChecks(directories: readonly string[]): readonly Check[] {
  return directories.map((path) => ({
    name: 'workspace_readable',
    passed: false,
    message: `${shortened(escaped(path || '.'))} cannot be listed`,
  }))
}

/** The failed check of a workspace that has too many entries to be listed. */
export const oversized: Check = {
  name: 'workspace_size',
  passed: false,
  message: `the workspace has more than ${maxTreeEntries} entries`,
}

/** The name of the check of a file: its path. A blank path, which no check may have as a name, is quoted. */
function nameOf(path: string): string {
  return path.trim() === '' ? JSON.stringify(escaped(path)) : path
}
