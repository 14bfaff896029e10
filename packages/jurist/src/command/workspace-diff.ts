import { join, relative, resolve } from 'node:path'
import { JuristError, type Workspace } from '@jurist/core'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import { changes, localWorkspace, readOnly, type Snapshot, type SnapshotEntry, snapshot } from '@jurist/workspace'
import { type FileDiff, unifiedDiff } from '../terminal/diff-report.js'
import type { Results } from './results-store.js'

/** What a workspace is compared with. */
export type DiffBase = 'before' | 'reference'

/** The changed files of one trial, or why they cannot be told. */
export type WorkspaceDiff =
  | { readonly kind: 'files'; readonly files: readonly FileDiff[] }
  | { readonly kind: 'unknown'; readonly reason: string }

/** Larger files are told by their sizes. */
const maxTextBytes = 262_144
/** So many files are looked into; of those after them only the sizes are told. */
const maxTexts = 200

/** The run of a trial, where it is kept, and the directories in which an item may have begun. */
export interface DiffPlace {
  readonly run: RunResult
  readonly results: Results
  readonly datasets: readonly string[]
}

/** What differs between the kept workspace of a trial and what it began with, or the reference. */
export async function workspaceDiff(
  { run, results: { directory }, datasets }: DiffPlace,
  item: ItemResult,
  base: DiffBase,
): Promise<WorkspaceDiff> {
  const unknown = (reason: string): WorkspaceDiff => ({ kind: 'unknown', reason })
  if (directory === undefined) return unknown('The store keeps no workspaces.')
  if (item.workspacePath === null) return unknown('The workspace was not kept. Keep it: jurist run --preserve all')
  const path = base === 'before' ? item.beforePath : item.referencePath
  if (path === null && Object.hasOwn(item.metadata, `${base}Source`))
    return unknown(`The ${base} is a commit of a git repository. Compare with git diff.`)
  if (path === null && base === 'reference') return unknown('The item has no reference.')
  const workspace = await directoryBelow([join(directory, run.experimentName, run.id)], item.workspacePath)
  if (typeof workspace === 'string') return unknown('The workspace is no longer there.')
  if (path === null) return { kind: 'files', files: await filesBetween(null, workspace) }
  const start = await directoryBelow([directory, ...datasets], path)
  const what = base === 'before' ? 'What the item began with' : 'The reference'
  if (start === 'gone') return unknown(`${what} is no longer at ${path}.`)
  if (start === 'outside')
    return unknown(
      `${what} is at ${path}, outside the results and the project's datasets, and is not read. ` +
        'Name a directory that holds it: --source <dir>',
    )
  return { kind: 'files', files: await filesBetween(start, workspace) }
}

/**
 * The directory at a path that a record names, from the first root on, when it is below one of the roots: records may come
 * from anybody, and neither `..` nor a link leads out.
 */
async function directoryBelow(roots: readonly string[], path: string): Promise<Workspace | 'gone' | 'outside'> {
  const wanted = resolve(roots[0] ?? '', path)
  const root = roots.find((one) => !relative(one, wanted).startsWith('..'))
  if (root === undefined) return 'outside'
  try {
    const way = relative(root, wanted)
    if (way !== '' && !(await localWorkspace(root).exists(way))) return 'gone'
    return readOnly(localWorkspace(wanted))
  } catch (thrown) {
    if (JuristError.is(thrown, 'not-found')) return 'gone'
    if (JuristError.is(thrown, 'path-escape')) return 'outside'
    throw thrown
  }
}

/** `before` is `null` for a workspace that began with nothing. */
async function filesBetween(before: Workspace | null, after: Workspace): Promise<readonly FileDiff[]> {
  const nothing: Snapshot = { files: {} }
  const [old, now] = await Promise.all([before === null ? nothing : snapshot(before), snapshot(after)])
  const { added, removed, modified } = changes(old, now)
  const files: FileDiff[] = []
  for (const path of [...added, ...removed, ...modified].sort()) {
    const sides = { before: old.files[path] ?? null, after: now.files[path] ?? null }
    const isLooked = files.length < maxTexts && isShown(sides.before) && isShown(sides.after)
    const texts = isLooked ? [await textOf(before, path, sides.before), await textOf(after, path, sides.after)] : []
    const [was, is] = texts
    const lines = was === undefined || is === undefined ? null : unifiedDiff(was, is)
    files.push({ path, ...sides, lines })
  }
  return files
}

function isShown(entry: SnapshotEntry | null): boolean {
  return entry === null || ('sizeBytes' in entry && entry.sizeBytes <= maxTextBytes)
}

/** The text of a file, `''` where there is none; `undefined` for what is no text. */
async function textOf(tree: Workspace | null, path: string, entry: SnapshotEntry | null): Promise<string | undefined> {
  if (tree === null || entry === null) return ''
  try {
    return await tree.read(path)
  } catch (thrown) {
    if (JuristError.is(thrown)) return undefined
    throw thrown
  }
}
