import type { FileTree, OpenFile } from './tree/file-tree.js'
import { pacer } from './tree/pace.js'

/** How much is held of either side. */
const chunkBytes = 1024 * 1024

/** Two files of one size. */
export interface LargeFiles {
  readonly reference: FileTree
  readonly referencePath: string
  readonly workspace: FileTree
  readonly path: string
  readonly sizeBytes: number
  readonly signal: AbortSignal
}

/** Where two files differ first, or which of them cannot be read. */
export type LargeComparison =
  | { readonly kind: 'same' }
  | { readonly kind: 'differs'; readonly at: number }
  | { readonly kind: 'unreadable'; readonly side: 'reference' | 'workspace' }

/** Compares two large files byte for byte, in two megabytes of memory whatever their size, up to their first difference. */
export async function compareLarge(files: LargeFiles): Promise<LargeComparison> {
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
