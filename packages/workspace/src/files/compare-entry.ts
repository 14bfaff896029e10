import { JuristError } from '@jurist/core'
import type { ComparisonRules } from './comparator.js'
import {
  byBytes,
  type ContentComparison,
  compareContents,
  defaultMaxFileBytes,
  identical,
  tooLarge,
} from './compare-contents.js'
import type { Language } from './language.js'
import { type FileTree, type Found, type OpenFile, pacer } from './tree/file-tree.js'

/** One file of a reference, and its counterpart in a workspace. */
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

/** The result for an entry: a comparison, or why the workspace has nothing to compare. */
export type EntryOutcome =
  | { readonly kind: 'compared'; readonly comparison: ContentComparison }
  | { readonly kind: 'absent' | 'escape' | 'unreadable'; readonly message: string }

type File = Found & { readonly kind: 'file' }

/**
 * Compares one file of a reference with its counterpart in a workspace.
 *
 * @throws `not-found`, `path-escape` or `not-a-file` when the file of the reference cannot be read
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

/** Compares files beyond the limit by their sizes, then by their bytes, piece by piece. */
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

/** How much of either side is in memory. */
const chunkBytes = 1024 * 1024

interface LargeFiles {
  readonly reference: FileTree
  readonly referencePath: string
  readonly workspace: FileTree
  readonly path: string
  readonly sizeBytes: number
  readonly signal: AbortSignal
}

/** The first difference of two files, or which of them cannot be read. */
type LargeComparison =
  | { readonly kind: 'same' }
  | { readonly kind: 'differs'; readonly at: number }
  | { readonly kind: 'unreadable'; readonly side: 'reference' | 'workspace' }

/**
 * Compares two large files byte for byte up to their first difference, in two megabytes of memory whatever their size.
 */
async function compareLarge(files: LargeFiles): Promise<LargeComparison> {
  using expected = await files.reference.open(files.referencePath)
  if (expected === undefined) return { kind: 'unreadable', side: 'reference' }
  using found = await files.workspace.open(files.path)
  if (found === undefined) return { kind: 'unreadable', side: 'workspace' }
  return await comparePieces(expected, found, files)
}

async function comparePieces(
  expected: OpenFile,
  found: OpenFile,
  { sizeBytes, signal }: LargeFiles,
): Promise<LargeComparison> {
  const { due, pause } = pacer(signal)
  const [wanted, actual] = [Buffer.allocUnsafe(chunkBytes), Buffer.allocUnsafe(chunkBytes)]
  for (let offset = 0; offset < sizeBytes; offset += chunkBytes) {
    const [wantedBytes, actualBytes] = [expected.fill(wanted, offset), found.fill(actual, offset)]
    if (wantedBytes < 0) return { kind: 'unreadable', side: 'reference' }
    if (actualBytes < 0) return { kind: 'unreadable', side: 'workspace' }
    if (wanted.compare(actual, 0, actualBytes, 0, wantedBytes) !== 0)
      return { kind: 'differs', at: offset + firstDifference(wanted, actual, Math.min(wantedBytes, actualBytes)) }
    if (due()) await pause()
  }
  return { kind: 'same' }
}

function firstDifference(one: Uint8Array, other: Uint8Array, length: number): number {
  let at = 0
  while (at < length && one[at] === other[at]) at++
  return at
}
