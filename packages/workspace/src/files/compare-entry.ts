import { JuristError } from '@jurist/core'
import type { ComparisonRules } from './comparator.js'
import {
  byBytes,
  type ContentComparison,
  compareContents,
  defaultMaxFileBytes,
  firstDifference,
  identical,
  tooLarge,
} from './compare-contents.js'
import type { Language } from './language.js'
import { type FileTree, type Found, pacer } from './tree/file-tree.js'

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

/** How much of either side is in memory. */
const chunkBytes = 1024 * 1024

/** Compares files beyond the limit by their sizes, then byte for byte, in two megabytes of memory whatever their size. */
async function compareByBytes(entry: Entry, expected: File, { sizeBytes }: File): Promise<EntryOutcome> {
  const { language, referencePath, reference, workspace, path, signal } = entry
  if (expected.sizeBytes !== sizeBytes)
    return compared(byBytes(language, `has ${sizeBytes} bytes, expected ${expected.sizeBytes}`, [tooLarge]))
  using wantedFile = await reference.open(referencePath)
  using foundFile = await workspace.open(path)
  const { due, pause } = pacer(signal)
  const [wanted, found] = [Buffer.allocUnsafe(chunkBytes), Buffer.allocUnsafe(chunkBytes)]
  for (let offset = 0; offset < sizeBytes; offset += chunkBytes) {
    const wantedBytes = wantedFile?.fill(wanted, offset) ?? -1
    if (wantedBytes < 0) throw unreadableReference(referencePath)
    const foundBytes = foundFile?.fill(found, offset) ?? -1
    if (foundBytes < 0) return unreadable
    if (wanted.compare(found, 0, foundBytes, 0, wantedBytes) !== 0) {
      const at = offset + firstDifference(wanted, found, Math.min(wantedBytes, foundBytes))
      return compared(byBytes(language, `differs at byte ${at}`, [tooLarge]))
    }
    if (due()) await pause()
  }
  return compared(identical(language))
}
