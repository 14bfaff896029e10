import type { Check, Judgment, JudgmentContext } from '@jurist/core'
import { abstain, JuristError } from '@jurist/core'
import { withoutReference } from '@jurist/core/internal'
import { namedPath } from '../byte-path.js'
import { defaultIgnore } from '../snapshot.js'
import { type ComparisonRules, ruleOptions } from './comparator.js'
import { compareEntry, type EntryOutcome } from './compare-entry.js'
import { languageResolver } from './language.js'
import type { MatchOptions } from './match-options.js'
import { checkOf, extraChecks, matchJudgment, oversized, unlistedChecks } from './match-report.js'
import { directoryTree, equalFiles } from './tree/directory-tree.js'
import type { FileTree, Listing, Selection } from './tree/file-tree.js'
import { maxTreeEntries, pacer, selectionOf } from './tree/file-tree.js'
import { workspaceTree } from './tree/workspace-tree.js'

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
