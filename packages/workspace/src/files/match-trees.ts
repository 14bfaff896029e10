import {
  abstain,
  type Check,
  fail,
  type Json,
  type JsonObject,
  type Judgment,
  type JudgmentContext,
  JuristError,
  numerical,
  pass,
  type Workspace,
} from '@jurist/core'
import { withoutReference } from '@jurist/core/internal'
import { namedPath } from '../byte-path.js'
import { escaped, shortened } from '../quotation.js'
import { defaultIgnore } from '../snapshot.js'
import { type ComparisonRules, ruleOptions } from './comparator.js'
import type { ContentComparison } from './compare-contents.js'
import { compareEntry, type EntryOutcome } from './compare-entry.js'
import { frozen } from './compare-files.js'
import { type Language, languageResolver } from './language.js'
import {
  directoryTree,
  equalFiles,
  type FileTree,
  type Listing,
  maxTreeEntries,
  pacer,
  type Selection,
  selectionOf,
  workspaceTree,
} from './tree/file-tree.js'

/** Options of `matchesReference`. Arrays of patterns are in gitignore syntax. */
export interface MatchOptions extends ComparisonRules {
  /** A workspace, or the path of a directory. Default: the reference of the context. */
  readonly reference?: Workspace | string
  /** Patterns of files to ignore on both sides. Default `defaultIgnore`; spread it to extend it. */
  readonly ignore?: readonly string[]
  /** Patterns of the only files that are compared. Default: all files. */
  readonly only?: readonly string[]
  /** With `'forbid'`, each file that the reference does not have is a failed check. Default `'allow'`. */
  readonly extra?: 'allow' | 'forbid'
  /** With `'compare'`, the executable bit counts if both sides are directories. Default `'ignore'`. */
  readonly executable?: 'ignore' | 'compare'
  /** The language of files by glob, instead of by their names. The first match counts. Default: by name. */
  readonly languages?: { readonly [glob: string]: Language }
}

/** Runs `matchesReference`, with checked options. */
export async function matchTrees(options: MatchOptions, context: JudgmentContext): Promise<Judgment> {
  const reference = referenceTree(options, context)
  if (reference === undefined) return withoutReference()
  const { ignore = defaultIgnore, only } = options
  const selection = selectionOf({ ignore, only })
  const expected = await listReference(reference, selection, context.signal)
  if (expected.files.size === 0) return abstain('the reference has no file to compare')
  const workspace = workspaceTree(context.workspace)
  const found = await workspace.list(knowing(selection, expected), context.signal)
  const outcomes = await compareAll({ reference, workspace, expected, found, options, context })
  if (outcomes.size === 0) return abstain('the reference has no file to compare')
  const extra = [...found.files.keys()].filter((path) => !expected.files.has(path)).map(namedPath)
  const checks: readonly Check[] = [
    ...[...outcomes].map(([path, outcome]) => checkOf(path, outcome)),
    ...(options.extra === 'forbid' ? [...extraChecks(extra), ...unlistedChecks(found.unreadable)] : []),
    ...(found.truncated ? [oversized] : []),
  ]
  return matchJudgment({ outcomes, extra, checks, root: reference.root })
}

function referenceTree({ reference }: MatchOptions, context: JudgmentContext): FileTree | undefined {
  if (typeof reference === 'string') return directoryTree(reference)
  const workspace = reference ?? context.reference
  return workspace && workspaceTree(workspace)
}

async function listReference(reference: FileTree, selection: Selection, signal: AbortSignal): Promise<Listing> {
  const listing = await reference.list(selection, signal)
  const [unreadable] = listing.unreadable
  if (unreadable !== undefined)
    throw new JuristError('not-found', `The directory ${JSON.stringify(unreadable)} of the reference cannot be read.`, {
      path: unreadable,
    })
  if (listing.truncated)
    throw new JuristError(
      'limit-exceeded',
      `The reference has more than ${maxTreeEntries} entries. Leave some out with "ignore", or choose with "only".`,
      { what: 'entries of the reference', limit: maxTreeEntries },
    )
  return listing
}

/** Returns the same selection, but skips the test for files that the reference has. */
function knowing(selection: Selection, { files }: Listing): Selection {
  return { ...selection, file: (path) => files.has(path) || selection.file(path) }
}

interface Matching {
  readonly reference: FileTree
  readonly workspace: FileTree
  readonly expected: Listing
  readonly found: Listing
  readonly options: MatchOptions
  readonly context: JudgmentContext
}

/** Compares every file of the reference, by path; `'identical'` for those whose bytes are equal. */
async function compareAll(matching: Matching): Promise<ReadonlyMap<string, EntryOutcome | 'identical'>> {
  const { reference, workspace, expected, found, options, context } = matching
  const { signal } = context
  const languageAt = await languageResolver(options.languages)
  const { due, pause } = pacer(signal)
  const isEqual = quickTest(matching)
  const outcomes = new Map<string, EntryOutcome | 'identical'>()
  for (const [path, isRegular] of expected.files) {
    if (due()) await pause()
    if (isRegular && found.files.get(path) === true && isEqual(path)) {
      outcomes.set(namedPath(path), 'identical')
      continue
    }
    if (!isRegular && (await isNoFile(reference, path))) continue
    const entry = { reference, referencePath: path, workspace, path, signal, rules: rulesOf(options) }
    const executable = options.executable === 'compare'
    outcomes.set(namedPath(path), await compareEntry({ ...entry, executable, language: languageAt(path) }))
  }
  return outcomes
}

function quickTest({ reference, workspace, options }: Matching): (path: string) => boolean {
  if (reference.root === null || workspace.root === null || options.executable === 'compare') return () => false
  return equalFiles(reference.root, workspace.root)
}

/** A link to a directory, or a FIFO: the reference has no content there that could be compared. */
async function isNoFile(reference: FileTree, path: string): Promise<boolean> {
  return (await reference.look(path)).kind === 'other'
}

/** Selects the rules among the options by their names, so that a new rule reaches the comparators. */
function rulesOf(options: MatchOptions): ComparisonRules {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(ruleOptions, name)))
}

const maxPaths = 100

const maxFiles = 50

const maxDifferences = 20

const maxMetadataBytes = 64 * 1024

/** The share of it that one array may take. */
const maxShare = maxMetadataBytes / 4

interface Match {
  readonly outcomes: ReadonlyMap<string, EntryOutcome | 'identical'>
  readonly extra: readonly string[]
  readonly checks: readonly Check[]
  readonly root: string | null
}

/** Judges a match: the share of checks that pass, and as many differences as fit. */
function matchJudgment({ outcomes, extra, checks, root }: Match): Judgment {
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

function checkOf(path: string, outcome: EntryOutcome | 'identical'): Check {
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
function extraChecks(paths: readonly string[]): readonly Check[] {
  return paths.map((path) => ({
    name: nameOf(path),
    passed: false,
    message: 'not in the reference',
    location: { path },
  }))
}

/** Returns a failed check for every directory that cannot be listed, since its contents are unknown. */
function unlistedChecks(directories: readonly string[]): readonly Check[] {
  return directories.map((path) => ({
    name: 'workspace_readable',
    passed: false,
    message: `${shortened(escaped(path || '.'))} cannot be listed`,
  }))
}

/** The failed check of a workspace that has too many entries to be listed. */
const oversized: Check = {
  name: 'workspace_size',
  passed: false,
  message: `the workspace has more than ${maxTreeEntries} entries`,
}

/** The check of a file is named by its path. A blank path, which cannot name a check, is quoted. */
function nameOf(path: string): string {
  return path.trim() === '' ? JSON.stringify(escaped(path)) : path
}
