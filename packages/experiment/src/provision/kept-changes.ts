import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { copyOf, localWorkspace, type Snapshot, snapshot } from '@jurist/workspace'
import { copyTree, unchangedSince } from '@jurist/workspace/internal'
import { sha256 } from '../dataset/hash.js'
import type { KeptChanges } from '../result/records.js'

/** Smaller trees are kept whole: what is kept of them then needs no dataset. */
const [leastFiles, leastBytes] = [1_000, 10_000_000]

async function isLarge(directory: string): Promise<boolean> {
  let [files, bytes] = [0, 0]
  for await (const { type, sizeBytes } of localWorkspace(directory).list()) {
    files += type === 'file' ? 1 : 0
    bytes += sizeBytes
    if (files >= leastFiles || bytes >= leastBytes) return true
  }
  return false
}

const changesCopied = { clone: 'auto', misfits: 'leave-out', links: 'inside', signal: undefined } as const

function snapshotOf(before: string): Promise<Snapshot> {
  return snapshot(localWorkspace(before), { ignore: ['.git/'] })
}

function hashOf({ files }: Snapshot): string {
  return sha256(JSON.stringify(files))
}

/**
 * Copies of a workspace what differs from the state that it began with, where that is large.
 *
 * @param skip names at the root that are not part of the work
 * @returns `undefined` where nothing was copied, since all of it is to be kept
 */
export async function keepChanges(
  root: string,
  directory: string,
  { before, skip }: { readonly before: string; readonly skip: readonly string[] },
): Promise<KeptChanges | undefined> {
  if (!(await isLarge(before))) return undefined
  const began = await snapshotOf(before)
  const ignore = skip.map((name) => `/${name}`)
  const { unchanged, removed } = await unchangedSince(began, root, ignore)
  await mkdir(directory, { recursive: true })
  try {
    await copyTree(root, directory, { ...changesCopied, ignore, leaveOut: unchanged })
  } catch (thrown) {
    await rm(directory, { recursive: true, force: true })
    throw thrown
  }
  return { before: hashOf(began), removed }
}

/** The kept files of a trial. Disposing it deletes the copy that was made of them, if any. */
export interface KeptFiles extends AsyncDisposable {
  readonly directory: string
}

/**
 * All files of a kept workspace: where only changes were kept, a copy that is made of them and of what the trial began with.
 *
 * @param beginning the directory that the trial began with; only called where it is needed
 * @returns why it cannot be made
 */
export async function wholeWorkspace(
  kept: string,
  changes: KeptChanges | undefined,
  beginning: () => Promise<(AsyncDisposable & { readonly directory: string }) | string>,
): Promise<KeptFiles | string> {
  if (changes === undefined) return { directory: kept, [Symbol.asyncDispose]: async () => undefined }
  const before = await beginning()
  if (typeof before === 'string') return `only its changes are kept, and ${before}`
  try {
    const { directory } = before
    if (hashOf(await snapshotOf(directory)) !== changes.before)
      return `only its changes are kept, and what it began with, ${directory}, is not as it was then`
    const workspace = await copyOf(directory, { misfits: 'leave-out' })
    for (const path of changes.removed) await rm(join(workspace.root, path), { recursive: true, force: true })
    await copyTree(kept, workspace.root, { ...changesCopied, ignore: [], onto: true })
    return { directory: workspace.root, [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose]() }
  } finally {
    await before[Symbol.asyncDispose]()
  }
}
