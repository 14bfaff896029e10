import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { DatasetItem } from '@jurist/experiment'
import { storedItem, wholeWorkspace } from '@jurist/experiment/internal'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import { changes, checkoutOf, localWorkspace, type Snapshot, snapshot } from '@jurist/workspace'
import { copyTree, temporaryDirectory } from '@jurist/workspace/internal'
import type { Results } from '../../command-kit/results-store.js'
import { keptWorkspace } from '../show/trial-evidence.js'

/** The files of a trial in directories of their own: as it began, and as it ended. */
export interface TrialFiles extends AsyncDisposable {
  /** A directory below which candidates are made. */
  readonly scratch: string
  /** Why there are no files, neither before nor after; `null`: there are. */
  readonly missing: string | null
  readonly before: string
  readonly after: string
  /** The directory of the reference; `null`: the item has none. */
  readonly reference: string | null
  /** Paths that differ between the two. */
  readonly changed: readonly string[]
  /** The files of the beginning and of the end. */
  readonly snapshots: { readonly before: Snapshot; readonly after: Snapshot }
}

export const copied = { clone: 'auto', misfits: 'leave-out', links: 'inside', signal: undefined } as const

interface FilesPlace {
  readonly results: Results
  /** A directory or commit that replaces what the trial began with. */
  readonly before: string | undefined
  readonly projectDirectory: string
}

/** The files of a trial. */
export async function trialFiles(
  run: ExperimentResult,
  item: ItemResult,
  { results, before: given, projectDirectory }: FilesPlace,
): Promise<TrialFiles> {
  const stored = storedItem(item, await results.filesOf(run, [item]))
  const scratch = temporaryDirectory()
  const dispose = () => rm(scratch, { recursive: true, force: true })
  const [before, after] = [join(scratch, 'before'), join(scratch, 'after')]
  const none = async (missing: string): Promise<TrialFiles> => {
    const empty = join(scratch, 'none')
    await mkdir(empty)
    const nothing = await snapshot(localWorkspace(empty))
    return {
      ...{ scratch, missing, before: empty, after: empty, reference: null, changed: [] },
      ...{ snapshots: { before: nothing, after: nothing }, [Symbol.asyncDispose]: dispose },
    }
  }
  try {
    const began =
      given === undefined
        ? await sourceCopied(stored.before, before)
        : await directoryOrCommit(given, before, projectDirectory)
    if (!began && item.workspacePath === null) return await none('the trial has no files')
    await Promise.all([before, after].map((directory) => mkdir(directory, { recursive: true })))
    const kept = (await keptWorkspace(results, run, item))?.root
    if (kept === undefined && item.workspacePath !== null) return await none('the workspace of the trial was not kept')
    if (kept === undefined) await copyTree(before, after, { ...copied, ignore: ['.git/'] })
    else {
      const whole = await wholeWorkspace(kept, item.keptChanges, async () => ({
        directory: before,
        [Symbol.asyncDispose]: async () => undefined,
      }))
      if (typeof whole === 'string') return await none(`of the workspace ${whole}`)
      await copyTree(whole.directory, after, { ...copied, ignore: ['.git/'] })
      await whole[Symbol.asyncDispose]()
    }
    const reference = join(scratch, 'reference')
    const hasReference = await sourceCopied(stored.reference, reference)
    const [was, is] = [await snapshot(localWorkspace(before)), await snapshot(localWorkspace(after))]
    const { added, removed, modified } = changes(was, is)
    return {
      ...{ scratch, missing: null, before, after, reference: hasReference ? reference : null },
      changed: [...added, ...removed, ...modified].sort(),
      snapshots: { before: was, after: is },
      [Symbol.asyncDispose]: dispose,
    }
  } catch (thrown) {
    await dispose()
    throw thrown
  }
}

async function sourceCopied(source: DatasetItem['before'], to: string): Promise<boolean> {
  if (source === null) return false
  if (source.type === 'files') {
    for (const [path, text] of Object.entries(source.files)) await writeIn(to, path, text)
    return true
  }
  if (source.type === 'git') {
    await checkedOut(source.repoPath, source.commitHash, to)
    return true
  }
  await mkdir(to, { recursive: true })
  await copyTree(source.path, to, { ...copied, ignore: ['.git/'] })
  return true
}

/** Copies a directory, or the files of a commit of the project. */
export async function directoryOrCommit(given: string, to: string, projectDirectory: string): Promise<boolean> {
  const directory = await realpath(resolve(projectDirectory, given)).catch(() => undefined)
  if (directory === undefined) await checkedOut(projectDirectory, given, to)
  else {
    await mkdir(to, { recursive: true })
    await copyTree(directory, to, { ...copied, ignore: ['.git/'] })
  }
  return true
}

async function checkedOut(repository: string, ref: string, to: string): Promise<void> {
  const copy = await checkoutOf({ repository, ref }, { to })
  copy.keep()
  await copy[Symbol.asyncDispose]()
}

export async function writeIn(root: string, path: string, content: string | Uint8Array): Promise<void> {
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
}

/** The files of a trial that are left, and other contents of some. */
export interface Cut {
  /** Files that are gone from the beginning and the end. */
  readonly gone: ReadonlySet<string>
  /** Changes of the trial that are undone. */
  readonly undone: ReadonlySet<string>
  /** Other texts, by path, at the beginning and the end. */
  readonly texts: ReadonlyMap<string, { readonly before?: string; readonly after?: string }>
}

export const nothingCut: Cut = { gone: new Set(), undone: new Set(), texts: new Map() }

/** Equal for cuts that leave the same. */
export function cutKey({ gone, undone, texts }: Cut): string {
  return JSON.stringify([[...gone].sort(), [...undone].sort(), [...texts].sort()])
}

/** Writes what a cut leaves of the files: the beginning and the end. */
export async function writeCut(files: TrialFiles, cut: Cut, to: { readonly before: string; readonly after: string }) {
  await mkdir(to.before, { recursive: true })
  await mkdir(to.after, { recursive: true })
  const leftOut = withDirectories(cut.gone)
  await copyTree(files.before, to.before, { ...copied, ignore: [], leaveOut: leftOut })
  await copyTree(files.after, to.after, { ...copied, ignore: [], leaveOut: new Set([...leftOut, ...cut.undone]) })
  const { before, after } = files.snapshots
  for (const path of cut.undone)
    if (before.files[path] !== undefined && !cut.gone.has(path))
      await writeIn(to.after, path, await readFile(join(files.before, path)))
  for (const [path, texts] of cut.texts) {
    if (cut.gone.has(path)) continue
    if (texts.before !== undefined && before.files[path] !== undefined) await rewrite(to.before, path, texts.before)
    const text = cut.undone.has(path) ? texts.before : texts.after
    if (text !== undefined && (cut.undone.has(path) ? before : after).files[path] !== undefined)
      await rewrite(to.after, path, text)
  }
}

/** Paths with the directories above them, which a copy leaves out where nothing of them is left. */
export function withDirectories(paths: Iterable<string>): ReadonlySet<string> {
  const all = new Set(paths)
  for (const path of [...all])
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) all.add(`${path.slice(0, at)}/`)
  return all
}

/** A copied file may share its storage with the original, so it is replaced. */
async function rewrite(root: string, path: string, text: string): Promise<void> {
  await writeFile(join(root, path), text)
}
