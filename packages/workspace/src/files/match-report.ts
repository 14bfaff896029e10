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
/** The share of it that one array may take. */
const maxShare = maxMetadataBytes / 4

export interface Match {
  readonly outcomes: ReadonlyMap<string, EntryOutcome | 'identical'>
  readonly extra: readonly string[]
  readonly checks: readonly Check[]
  readonly root: string | null
}

/** Judges a match: the share of checks that pass, and as many differences as fit. */
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

/** Returns the first hundred paths (fewer if they are long), and their number if that is not all. */
function limited(name: 'missing' | 'extra', paths: readonly string[]): JsonObject {
  const shown = within(maxShare, paths.slice(0, maxPaths))
  return { [name]: shown, ...(shown.length < paths.length ? { [`${name}Total`]: paths.length } : {}) }
}

/** Returns as many files that are not identical as fit. `omitted` counts the others. */
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

/** Returns a file with its first differences: twenty, or fewer if they are long. */
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

/** Returns as many of the first items as fit. */
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

export function checkOf(path: string, outcome: EntryOutcome | 'identical'): Check {
  if (outcome === 'identical') return { name: nameOf(path), location: { path }, passed: true, message: 'identical' }
  const place = { name: nameOf(path), location: { path } }
  if (outcome.kind !== 'compared') return { ...place, passed: false, message: outcome.message }
  const { message, line } = verdictOf(outcome.comparison)
  const passed = outcome.comparison.result !== 'differs'
  return { ...place, passed, message, location: line === undefined ? { path } : { path, line } }
}

/** Describes the result of a comparison in one line, with its place in the workspace. */
export function verdictOf({ result, by, differences }: ContentComparison): {
  readonly message: string
  readonly line?: number
} {
  const [first] = differences
  if (first === undefined) return { message: result === 'identical' ? result : `equivalent by ${by}` }
  const line = first.line ?? first.enclosingLine
  return { message: first.message, line }
}

/** Returns a failed check for every file that the reference does not have. */
export function extraChecks(paths: readonly string[]): readonly Check[] {
  return paths.map((path) => ({
    name: nameOf(path),
    passed: false,
    message: 'not in the reference',
    location: { path },
  }))
}

/** Returns a failed check for every directory that cannot be listed, since its contents are unknown. */
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

/** The check of a file is named by its path. A blank path, which cannot name a check, is quoted. */
function nameOf(path: string): string {
  return path.trim() === '' ? JSON.stringify(escaped(path)) : path
}
