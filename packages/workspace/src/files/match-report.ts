import { type Check, fail, type Json, type JsonObject, type Judgment, numerical, pass } from '@jurist/core'
import { escaped, shortened } from '../quotation.js'
import type { ContentComparison } from './compare-contents.js'
import type { EntryOutcome } from './compare-entry.js'
import { frozen } from './compare-files.js'
import { maxTreeEntries } from './tree/file-tree.js'

const maxPaths = 100
const maxFiles = 50
const maxDifferences = 20
const maxMetadataBytes = 64 * 1024
/** What one list may have of it. */
const maxShare = maxMetadataBytes / 4

/** What a match of two trees found. */
export interface Match {
  readonly outcomes: ReadonlyMap<string, EntryOutcome | 'identical'>
  readonly extra: readonly string[]
  readonly checks: readonly Check[]
  readonly root: string | null
}

/** The judgment of a match: the share of checks that pass, and what differs as far as there is room. */
export function matchJudgment({ outcomes, extra, checks, root }: Match): Judgment {
  const passed = checks.filter((check) => check.passed).length
  const matchedFiles = [...outcomes.values()].filter(isMatch).length
  const totalFiles = outcomes.size
  const missing = [...outcomes].filter(([, outcome]) => isAbsent(outcome)).map(([path]) => path)
  const head = {
    reference: root,
    matchedFiles,
    totalFiles,
    ...limited('missing', missing),
    ...limited('extra', extra),
  }
  const metadata = { ...head, ...filesWithin(maxMetadataBytes - sizeOf(head), outcomes) }
  const reasoning = `${matchedFiles} of ${totalFiles} files match the reference`
  const extras = { score: numerical(passed / checks.length), checks, metadata }
  return passed === checks.length ? pass(reasoning, extras) : fail(reasoning, extras)
}

function isMatch(outcome: EntryOutcome | 'identical'): boolean {
  return outcome === 'identical' || (outcome.kind === 'compared' && outcome.comparison.result !== 'differs')
}

function isAbsent(outcome: EntryOutcome | 'identical'): boolean {
  return outcome !== 'identical' && outcome.kind === 'absent'
}

/** The first hundred paths (fewer when they are long), and how many there are when that is not all. */
function limited(name: 'missing' | 'extra', paths: readonly string[]): JsonObject {
  const shown = within(maxShare, paths.slice(0, maxPaths))
  return { [name]: shown, ...(shown.length < paths.length ? { [`${name}Total`]: paths.length } : {}) }
}

/** The files that are not identical, as many as there is room for; `omitted` counts the others. */
function filesWithin(roomBytes: number, outcomes: Match['outcomes']): JsonObject {
  const files: Json[] = []
  let room = roomBytes
  let omitted = 0
  for (const [path, outcome] of outcomes) {
    if (outcome === 'identical' || outcome.kind !== 'compared' || outcome.comparison.result === 'identical') continue
    const file = shownFile(path, outcome.comparison)
    const size = sizeOf(file)
    if (files.length < maxFiles && size < room) {
      files.push(file)
      room -= size
    } else omitted++
  }
  return { files, ...(omitted > 0 ? { omitted } : {}) }
}

/** A file with its first differences: twenty, or fewer when they are long. */
function shownFile(path: string, comparison: ContentComparison): JsonObject {
  const { result, by, notes, differences } = frozen(comparison)
  const first = differences
    .slice(0, maxDifferences)
    .map((difference) => ({ ...difference, member: shortened(difference.member) }))
  const shown = within(maxShare, first)
  const more = differences.length - shown.length
  const head = { path, result, by, notes: within(maxShare, notes) }
  return { ...head, differences: shown, ...(more > 0 ? { omittedDifferences: more } : {}) }
}

/** The first of the items, as many as there is room for. */
function within<Item>(roomBytes: number, items: readonly Item[]): readonly Item[] {
  let room = roomBytes
  for (const [index, item] of items.entries()) {
    room -= sizeOf(item) + 1
    if (room < 0) return items.slice(0, index)
  }
  return items
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** The check of one file of the reference. */
export function checkOf(path: string, outcome: EntryOutcome | 'identical'): Check {
  if (outcome === 'identical') return { name: nameOf(path), location: { path }, passed: true, message: 'identical' }
  const place = { name: nameOf(path), location: { path } }
  if (outcome.kind !== 'compared') return { ...place, passed: false, message: outcome.message }
  const { message, line } = verdictOf(outcome.comparison)
  const passed = outcome.comparison.result !== 'differs'
  return { ...place, passed, message, location: line === undefined ? { path } : { path, line } }
}

/** The result of a comparison in one line, and where in the workspace. */
export function verdictOf({ result, by, differences }: ContentComparison): {
  readonly message: string
  readonly line?: number
} {
  const [first] = differences
  if (first === undefined) return { message: result === 'identical' ? result : `equivalent by ${by}` }
  const line = first.line ?? first.enclosingLine
  return { message: first.message, line }
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

/** A failed check for every directory that cannot be listed: its contents are unknown. */
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
