import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import type { JournalEvent, JudgmentContext, Workspace } from '@jurist/core'
import { checkOptions, emptyWorkspace, failureOf } from '@jurist/core/internal'
import { copyOf, localWorkspace } from '@jurist/workspace'
import { readOnly } from '@jurist/workspace/internal'
import type { DatasetItem } from '../dataset/item.js'
import type { ExperimentInvocation } from '../invocation.js'
import { readJournal } from '../journal/read-journal.js'
import { type Mirrors, repositoryMirrors } from '../provision/git-mirrors.js'
import { openViews, type Views } from '../provision/read-only-workspaces.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { contextOf } from '../run/judgment-context.js'
import { isToolEvent, observedSteps } from '../run/tool-steps.js'
import { type RejudgeContext, type SkipReason, type StoredWorkspaces, storedContextRules } from './rejudge-options.js'
import { storedItem } from './stored-item.js'

/** What `storedContext` rests on. */
export interface StoredContextOptions {
  /** The directory of the file store that holds the run. Without it no kept workspace can be found. */
  readonly resultsDirectory?: string
  /** Default `copy`. */
  readonly workspaces?: StoredWorkspaces
}

/**
 * The context of a stored trial as its first jury saw it: the stored task, the kept workspace, output, times and metadata of
 * the stored invocation, before and reference from their stored places, what the item knew of the right answer. The workspace
 * of the context can be disposed of, which removes everything that was made for it; `rejudge` does.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { fileExists } from '@jurist/core'
 * import { rejudge, storedContext } from '@jurist/experiment/rejudge'
 *
 * const original = storedContext({ resultsDirectory: 'results' })
 * rejudge('20261121T091500123Z-4kq7rm', fileExists('LICENSE'), {
 *   store: 'results',
 *   context: async (item, run, signal) => {
 *     const stored = await original(item, run, signal)
 *     return 'skip' in stored ? stored : { ...stored, goal: `${stored.goal} Keep the licence.` }
 *   },
 * })
 */
export function storedContext(options?: StoredContextOptions): RejudgeContext {
  const { resultsDirectory, workspaces = 'copy' } = checkOptions('storedContext', options, storedContextRules)
  const results = resultsDirectory === undefined ? undefined : resolve(resultsDirectory)
  const mirrors = repositoryMirrors()
  return async function storedContext(item, run, signal) {
    const { detail } = item
    if (run.kind === 'judge' || detail?.kind === 'judge')
      return { skip: 'not-an-agent-run', message: `Run ${run.id} is about a judge. Calibrate the judge again.` }
    if (detail === null)
      return { skip: 'no-detail', message: `Of ${item.itemId} [${item.repetition}] no invocation is stored.` }
    const asked = storedItem(item, results)
    const views = await openReferences(asked, mirrors, signal)
    if ('skip' in views) return views
    const kept = await openStoredWorkspace(item, run, { resultsDirectory: results, workspaces, signal })
    if ('skip' in kept) {
      await views[Symbol.asyncDispose]()
      return kept
    }
    const { invocation } = detail
    const recorded = observedSteps(invocation) === undefined ? await recordedTools(item, run, results) : []
    return contextOver({ item, run, asked, invocation, recorded, kept, views, signal })
  }
}

/** A directory that is gone is a reason to skip, so is a commit that cannot be had. */
async function openReferences(item: DatasetItem, mirrors: Mirrors, signal: AbortSignal): Promise<Views | SkipReason> {
  const before = (await isThere(item.before)) ? item.before : null
  if (!(await isThere(item.reference))) {
    const place = item.reference?.type === 'directory' ? item.reference.path : 'its place'
    return { skip: 'reference-missing', message: `The reference of ${item.id} is not at ${place} any more.` }
  }
  try {
    return await openViews({ before, reference: item.reference }, mirrors, { options: {}, isolation: 'none' }, signal)
  } catch (thrown) {
    signal.throwIfAborted()
    return { skip: 'reference-missing', message: failureOf(thrown).message }
  }
}

async function isThere(source: DatasetItem['before']): Promise<boolean> {
  if (source?.type !== 'directory') return true
  return stat(source.path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

interface Stored {
  readonly item: ItemResult
  readonly run: ExperimentResult
  readonly asked: DatasetItem
  readonly invocation: ExperimentInvocation
  readonly recorded: readonly JournalEvent[]
  readonly kept: StoredWorkspace
  readonly views: Views
  readonly signal: AbortSignal
}

function contextOver({ item, run, asked, invocation, recorded, kept, views, signal }: Stored): JudgmentContext {
  const { repetition, attempts, startedAt } = item
  const { knowledge, experimentName, variant } = run
  const workspace = Object.freeze({
    ...kept.workspace,
    async [Symbol.asyncDispose]() {
      await kept[Symbol.asyncDispose]()
      await views[Symbol.asyncDispose]()
    },
  })
  return contextOf({
    item: asked,
    workspace,
    before: views.before,
    reference: views.reference,
    invocation,
    recorded,
    startedAt,
    signal,
    metadata: {
      ...asked.metadata,
      ...run.metadata,
      ...{ experimentName, variant, repetition },
      runId: run.lineage?.root ?? run.id,
      attempt: attempts.length + 1,
      ...(knowledge === null ? {} : { knowledge }),
    },
  })
}

/** The longest journal that is read for its tool calls, in bytes. */
const longestJournal = 64 * 1024 * 1024

/** What the journal of a trial says of tools in its last attempt; nothing without a journal. */
async function recordedTools(
  { journalPath }: ItemResult,
  run: ExperimentResult,
  results: string | undefined,
): Promise<readonly JournalEvent[]> {
  const kept = journalPath === null ? undefined : await keptPath(journalPath, run, results)
  if (kept === undefined || !kept.stats.isFile() || kept.stats.size > longestJournal) return []
  const { events } = await readJournal(kept.path)
  const last = events.findLastIndex((event) => event.type === 'custom' && event.name === 'attempt')
  return events.slice(last + 1).filter(isToolEvent)
}

/** A workspace as a jury sees it again, until it is disposed of. */
interface StoredWorkspace extends AsyncDisposable {
  readonly workspace: Workspace
}

const nothing: StoredWorkspace = { workspace: emptyWorkspace(), [Symbol.asyncDispose]: async () => {} }

/** Opens what was kept of a trial's workspace, or says why that cannot be done. */
async function openStoredWorkspace(
  item: ItemResult,
  run: ExperimentResult,
  how: {
    readonly resultsDirectory: string | undefined
    readonly workspaces: StoredWorkspaces
    readonly signal: AbortSignal
  },
): Promise<StoredWorkspace | SkipReason> {
  const { resultsDirectory, workspaces, signal } = how
  if (workspaces === 'none') return nothing
  if (item.workspacePath === null) return hadWorkspace(item) ? missing(item, 'was not kept') : nothing
  const place = await keptPath(item.workspacePath, run, resultsDirectory)
  const directory = place?.stats.isDirectory() ? place.path : undefined
  if (directory === undefined) return missing(item, `is not at ${item.workspacePath} of run ${run.id}`)
  if (workspaces === 'in-place')
    return { workspace: readOnly(localWorkspace(directory)), [Symbol.asyncDispose]: async () => {} }
  const copy = await copyOf(directory, { signal })
  return { workspace: readOnly(copy), [Symbol.asyncDispose]: () => copy[Symbol.asyncDispose]() }
}

/** A trial that began with files, or left some, had a workspace that a judge may want to see. */
function hadWorkspace({ metadata, beforePath }: ItemResult): boolean {
  return metadata['workspaceKept'] === false || beforePath !== null || metadata['beforeSource'] !== undefined
}

function missing({ itemId, repetition }: ItemResult, why: string): SkipReason {
  const message = `The workspace of ${itemId} [${repetition}] ${why}. Run with preserveWorkspaces: 'all', or judge with workspaces: 'none'.`
  return { skip: 'workspace-missing', message }
}

/** Something that was kept of a run; `undefined` when it is not there, or a path or a link leads out of the results. */
async function keptPath(
  path: string,
  { experimentName, id }: ExperimentResult,
  resultsDirectory: string | undefined,
): Promise<{ readonly path: string; readonly stats: Stats } | undefined> {
  if (resultsDirectory === undefined) return undefined
  const experiment = resolve(resultsDirectory, experimentName)
  try {
    const place = await realpath(join(experiment, id, path))
    const isInside = place.startsWith(`${await realpath(experiment)}${sep}`)
    return isInside ? { path: place, stats: await stat(place) } : undefined
  } catch {
    return undefined
  }
}
