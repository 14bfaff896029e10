import { join, posix, relative, resolve } from 'node:path'
import { type JournalEvent, JuristError, type Workspace } from '@jurist/core'
import { failureOf, isPlainObject } from '@jurist/core/internal'
import { journalFile, openJournal, type StoredJournal, wholeWorkspace } from '@jurist/experiment/internal'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import { commandLine } from '@jurist/kit/command-line'
import { safeLine } from '@jurist/kit/terminal'
import { unifiedDiff } from '@jurist/kit/text-diff'
import { changes, localWorkspace, type Snapshot, snapshot } from '@jurist/workspace'
import { readOnly } from '@jurist/workspace/internal'
import type { Results } from '../../command-kit/results-store.js'
import type { FileDiff } from '../../terminal/diff-report.js'
import { journalReport } from '../../terminal/journal-report.js'
import type { Terminal } from '../../terminal/terminal.js'

const maxBytes = 256 * 1024 * 1024

/** A journal, or the reason why it cannot be shown. */
export type JournalText = { readonly text: string } | { readonly text?: undefined; readonly reason: string }

/**
 * Returns a trial's journal, or the reason why it cannot be shown. Records are untrusted: a path that leads out of the
 * run is refused.
 */
export async function journalText(results: Results, run: RunResult, trial: ItemResult): Promise<JournalText> {
  const { journalPath } = trial
  const directory = await results.filesOf(run, [trial])
  if (directory === undefined || journalPath === null) return { reason: 'No journal was kept.' }
  try {
    // What a run keeps that was judged again is in the run that it was judged from.
    const workspace = localWorkspace(join(directory, run.experimentName))
    return { text: await workspace.read(posix.join(run.id, journalPath), { maxBytes }) }
  } catch (thrown) {
    return unreadable(thrown)
  }
}

function unreadable(thrown: unknown): { readonly reason: string } {
  return { reason: `The journal cannot be read: ${safeLine(failureOf(thrown).message)}` }
}

/** Formats the journal of a trial for people, in parts. */
export async function* shownJournal(
  results: Results,
  run: RunResult,
  trial: ItemResult,
  terminal: Terminal,
): AsyncGenerator<string, void> {
  const journal = await storedJournal(results, run, trial)
  if ('reason' in journal) yield `  ${journal.reason}\n`
  else yield* journalReport(journal, terminal)
}

/** Returns the journal of a trial as a document with every stored record, and `null` for a damaged line. */
export async function journalDocument(results: Results, run: RunResult, trial: ItemResult) {
  const { itemId, repetition } = trial
  const journal = await storedJournal(results, run, trial)
  if ('reason' in journal) return { itemId, repetition, events: null, reason: journal.reason }
  const events: unknown[] = []
  while (events.length < journal.total) events.push(...(await journal.read(events.length, 4_000)))
  return { itemId, repetition, events }
}

/** Returns the recorded events of a trial without damaged lines; empty if no journal can be read. */
export async function recordedEvents(
  results: Results,
  run: RunResult,
  trial: ItemResult,
): Promise<readonly JournalEvent[]> {
  const { events } = await journalDocument(results, run, trial)
  return (events ?? []).filter(
    (value): value is JournalEvent => isPlainObject(value) && typeof value['type'] === 'string',
  )
}

/** Returns the journal of a trial, or the reason why it cannot be shown. */
async function storedJournal(
  results: Results,
  run: RunResult,
  trial: ItemResult,
): Promise<StoredJournal | { readonly reason: string }> {
  const directory = await results.filesOf(run, [trial])
  if (directory === undefined || trial.journalPath === null) return { reason: 'No journal was kept.' }
  const file = await journalFile(directory, run, trial)
  if (file === undefined) return { reason: 'The journal cannot be read: it is gone, or lies outside the results.' }
  return openJournal(file, run.status === 'running').catch(unreadable)
}

/** The base for comparing a workspace. */
export type DiffBase = 'before' | 'reference'

/** The changed files of one trial, or the reason why they are unknown. */
type WorkspaceDiff =
  | { readonly kind: 'files'; readonly files: readonly FileDiff[] }
  | { readonly kind: 'unknown'; readonly reason: string }

/** For larger files, only the sizes are shown. */
const maxTextBytes = 262_144
/** The maximum number of files whose lines are compared. For further files, only the sizes are shown. */
const maxTexts = 200

/** The run of a trial, its results, and the directories that may contain the initial state of an item. */
export interface DiffPlace {
  readonly run: RunResult
  readonly results: Results
  readonly datasets: readonly string[]
}

/** Compares the kept workspace of a trial with its initial state or the reference. */
export async function workspaceDiff(
  { run, results, datasets }: DiffPlace,
  item: ItemResult,
  base: DiffBase,
): Promise<WorkspaceDiff> {
  const trees = await comparedTrees({ run, results, datasets }, item, base)
  if ('reason' in trees) return { kind: 'unknown', reason: trees.reason }
  try {
    return { kind: 'files', files: await filesBetween(trees.before, trees.after) }
  } finally {
    await trees[Symbol.asyncDispose]()
  }
}

interface ComparedTrees extends AsyncDisposable {
  readonly before: Workspace | null
  readonly after: Workspace
}

/** The kept workspace of a trial with its initial state or the reference, or the reason why they cannot be read. */
async function comparedTrees(
  { run, results, datasets }: DiffPlace,
  item: ItemResult,
  base: DiffBase,
): Promise<ComparedTrees | { readonly reason: string }> {
  const unknown = (reason: string) => ({ reason })
  if (results.filesDirectory === undefined) return unknown('The store keeps no workspaces.')
  if (item.workspacePath === null)
    return unknown(`The workspace was not kept. Keep it: ${commandLine('run', '--preserve', 'all')}`)
  const path = base === 'before' ? item.beforePath : item.referencePath
  if (path === null && Object.hasOwn(item.metadata, `${base}Source`))
    return unknown(`The ${base} is a commit of a git repository. Compare with git diff.`)
  if (path === null && base === 'reference') return unknown('The item has no reference.')
  const directory = (await results.filesOf(run, [item])) ?? ''
  const workspace = await directoryBelow([join(directory, run.experimentName)], posix.join(run.id, item.workspacePath))
  if (typeof workspace === 'string') return unknown('The workspace is no longer there.')
  const start = (of: string | null) => (of === null ? null : directoryBelow([directory, ...datasets], of))
  const before = await start(path)
  const what = base === 'before' ? 'What the item began with' : 'The reference'
  if (before === 'gone') return unknown(`${what} is no longer at ${path}.`)
  if (before === 'outside')
    return unknown(
      `${what} is at ${path}, outside the results and the project's datasets, and is not read. ` +
        'Name a directory that holds it: --source <dir>',
    )
  const kept = await wholeWorkspace(workspace.root ?? '', item.keptChanges, async () => {
    const began = await start(item.beforePath)
    if (began === null || typeof began === 'string') return 'what it began with is not there to read'
    return { directory: began.root ?? '', [Symbol.asyncDispose]: async () => undefined }
  })
  if (typeof kept === 'string') return unknown(`Of the workspace ${kept}.`)
  const after = readOnly(localWorkspace(kept.directory))
  return { before, after, [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose]() }
}

/** The texts of the files that a trial changed, and those that the reference changes; `null` where they cannot be read. */
export async function changedTexts(place: DiffPlace, item: ItemResult) {
  const [own, right] = await Promise.all([
    comparedTrees(place, item, 'before'),
    comparedTrees(place, item, 'reference'),
  ])
  if ('reason' in own) return { before: null, changes: null, reference: null }
  try {
    return {
      before: own.before ?? own.after,
      changes: await textsBetween(own.before, own.after),
      reference: 'reason' in right || right.before === null ? null : await textsBetween(own.before, right.before),
    }
  } finally {
    await own[Symbol.asyncDispose]()
    if (!('reason' in right)) await right[Symbol.asyncDispose]()
  }
}

async function textsBetween(before: Workspace | null, after: Workspace) {
  const { old, now, paths } = await changedPaths(before, after)
  return Promise.all(
    paths.slice(0, maxTexts).map(async (path) => {
      const [was, is] = [old.files[path] ?? null, now.files[path] ?? null]
      const text = async (tree: Workspace | null, entry: typeof was) =>
        entry === null || !isShown(entry) ? null : ((await textOf(tree, path, entry)) ?? null)
      return { path, before: await text(before, was), after: await text(after, is) }
    }),
  )
}

/**
 * Returns the directory in a record, relative to the first root, if it is below one of the roots. Records are
 * untrusted: neither `..` nor a link may lead outside.
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

/** Returns what is kept of the workspace of a trial; `undefined` if it no longer exists or is outside the run. */
export async function keptWorkspace(
  results: Results,
  run: RunResult,
  item: ItemResult,
): Promise<Workspace | undefined> {
  const { workspacePath } = item
  const directory = await results.filesOf(run, [item])
  if (workspacePath === null || directory === undefined) return undefined
  const found = await directoryBelow([join(directory, run.experimentName)], posix.join(run.id, workspacePath))
  return typeof found === 'string' ? undefined : found
}

/** `before` is `null` for a workspace that started empty. */
async function filesBetween(before: Workspace | null, after: Workspace): Promise<readonly FileDiff[]> {
  const { old, now, paths } = await changedPaths(before, after)
  const files: FileDiff[] = []
  for (const path of paths) {
    const sides = { before: old.files[path] ?? null, after: now.files[path] ?? null }
    const isLooked = files.length < maxTexts && isShown(sides.before) && isShown(sides.after)
    const texts = isLooked ? [await textOf(before, path, sides.before), await textOf(after, path, sides.after)] : []
    const [was, is] = texts
    const lines = was === undefined || is === undefined ? null : unifiedDiff(was, is)
    files.push({ path, ...sides, lines })
  }
  return files
}

async function changedPaths(before: Workspace | null, after: Workspace) {
  const nothing: Snapshot = { files: {} }
  const [old, now] = await Promise.all([before === null ? nothing : snapshot(before), snapshot(after)])
  const { added, removed, modified } = changes(old, now)
  return { old, now, paths: [...added, ...removed, ...modified].sort() }
}

function isShown(entry: Snapshot['files'][string] | null): boolean {
  return entry === null || ('sizeBytes' in entry && entry.sizeBytes <= maxTextBytes)
}

/** Returns the text of a file; `''` for a missing file, `undefined` for a binary one. */
async function textOf(
  tree: Workspace | null,
  path: string,
  entry: Snapshot['files'][string] | null,
): Promise<string | undefined> {
  if (tree === null || entry === null) return ''
  try {
    return await tree.read(path)
  } catch (thrown) {
    if (JuristError.is(thrown)) return undefined
    throw thrown
  }
}
