import { JuristError } from '@jurist/core'
import type { ComparisonRules } from './comparator.js'
import type { ContentComparison } from './compare-contents.js'
import { byBytes, compareContents, defaultMaxFileBytes, identical, tooLarge } from './compare-contents.js'
import { compareLarge } from './compare-large.js'
import type { Language } from './language.js'
import type { FileTree, Found } from './tree/file-tree.js'

/** One file of a reference and its place in a workspace. */
export interface Entry {
  readonly reference: FileTree
  readonly referencePath: string
  readonly workspace: FileTree
  readonly path: string
  readonly language: Language
  readonly rules: ComparisonRules
  /** Whether the executable bit counts. */
  readonly executable?: boolean
  readonly signal: AbortSignal
}

/** What became of an entry: a comparison, or why the workspace has nothing to compare. */
export type EntryOutcome =
  | { readonly kind: 'compared'; readonly comparison: ContentComparison }
  | { readonly kind: 'absent' | 'escape' | 'unreadable'; readonly message: string }

type File = Found & { readonly kind: 'file' }

/**
 * Compares one file of a reference with its place in a workspace.
 *
 * @throws `not-found`, `path-escape` or `not-a-file` when the file of the reference is not one that can be read
 */
export async function compareEntry(entry: Entry): Promise<EntryOutcome> {
  const expected = await referenceFile(entry)
  const found = await entry.workspace.look(entry.path)
  if (found.kind !== 'file') return withoutFile(found)
  if (entry.executable === true && (expected.executable ?? found.executable) !== found.executable)
    return compared(byBytes(entry.language, `is ${found.executable === true ? '' : 'not '}executable`))
  const { maxFileBytes = defaultMaxFileBytes } = entry.rules
  if (Math.max(expected.sizeBytes, found.sizeBytes) > maxFileBytes) return compareByBytes(entry, expected, found)
  const wanted = await readReference(entry, expected.sizeBytes)
  const actual = await entry.workspace.read(entry.path, found.sizeBytes)
  if (actual === undefined) return unreadable
  const { language, rules, path } = entry
  return compared(await compareContents(wanted, actual, { language, rules, path }))
}

const unreadable: EntryOutcome = { kind: 'unreadable', message: 'cannot be read' }

function compared(comparison: ContentComparison): EntryOutcome {
  return { kind: 'compared', comparison }
}

function withoutFile(found: Exclude<Found, File>): EntryOutcome {
  switch (found.kind) {
    case 'missing':
      return { kind: 'absent', message: 'missing' }
    case 'escape':
      return { kind: 'escape', message: 'symbolic link leaves the workspace' }
    case 'other':
      return { kind: 'unreadable', message: `is ${found.what}, expected a file` }
    case 'unreadable':
      return unreadable
    default:
      return found satisfies never
  }
}

async function referenceFile({ reference, referencePath: path }: Entry): Promise<File> {
  const found = await reference.look(path)
  switch (found.kind) {
    case 'file':
      return found
    case 'missing':
      throw new JuristError('not-found', `The reference has no file ${JSON.stringify(path)}.`, { path })
    case 'escape':
      throw new JuristError('path-escape', `${JSON.stringify(path)} is a link that leaves the reference.`, { path })
    case 'other':
      throw new JuristError('not-a-file', `${JSON.stringify(path)} of the reference is ${found.what}.`, { path })
    case 'unreadable':
      throw unreadableReference(path)
    default:
      return found satisfies never
  }
}

function unreadableReference(path: string): JuristError {
  return new JuristError('not-found', `${JSON.stringify(path)} of the reference cannot be read.`, { path })
}

async function readReference({ reference, referencePath }: Entry, length: number): Promise<Uint8Array> {
  const bytes = await reference.read(referencePath, length)
  if (bytes === undefined) throw unreadableReference(referencePath)
  return bytes
}

/** Files beyond the limit: their sizes, then their bytes, a piece at a time. */
async function compareByBytes(entry: Entry, expected: File, found: File): Promise<EntryOutcome> {
  const { language, referencePath } = entry
  if (expected.sizeBytes !== found.sizeBytes)
    return compared(byBytes(language, `has ${found.sizeBytes} bytes, expected ${expected.sizeBytes}`, [tooLarge]))
  const result = await compareLarge({ ...entry, sizeBytes: found.sizeBytes })
  switch (result.kind) {
    case 'same':
      return compared(identical(language))
    case 'differs':
      return compared(byBytes(language, `differs at byte ${result.at}`, [tooLarge]))
    case 'unreadable':
      if (result.side === 'reference') throw unreadableReference(referencePath)
      return unreadable
    default:
      return result satisfies never
  }
}
