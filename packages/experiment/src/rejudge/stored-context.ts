import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type JournalEvent, type JudgmentContext, JuristError, type Workspace } from '@jurist/core'
import { checkOptions, emptyWorkspace, failureOf } from '@jurist/core/internal'
import { copyOf, localWorkspace } from '@jurist/workspace'
import { readOnly } from '@jurist/workspace/internal'
import type { DatasetItem, ItemSource } from '../dataset/item.js'
import { openDataset } from '../dataset/open-dataset.js'
import type { ExperimentInvocation } from '../invocation.js'
import { readJournal } from '../journal/stored-journal.js'
import { type Mirrors, repositoryMirrors } from '../provision/git-mirrors.js'
import { type KeptFiles, wholeWorkspace } from '../provision/kept-changes.js'
import type { Provision } from '../provision/provision.js'
import { openViews } from '../provision/read-only-workspaces.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { trialText } from '../result/trial-figures.js'
import { contextOf, isToolEvent, observedSteps } from '../run/judge-trial.js'
import { type RejudgeContext, type SkipReason, type StoredWorkspaces, storedContextRules } from './rejudge-options.js'
import { keptDirectory, keptPath, storedItem } from './stored-trial.js'

/** Options of `storedContext`. */
export interface StoredContextOptions {
  /** The directory of the file store that holds the run. Without it no kept workspace can be found. */
  readonly resultsDirectory?: string
  /** Default `copy`. */
  readonly workspaces?: StoredWorkspaces
  /**
   * The provision of the run's workspaces. Its `reopen` makes the copies, so that commands run in the same sandbox with
   * the same packages. Default: copies without a sandbox and without the packages of a setup.
   */
  readonly provision?: Provision
  /** The directory of the dataset, for the `tests.lock.json` of its items. Default: unknown; judges that ask for it report an error. */
  readonly datasetDirectory?: string
}

/**
 * The context of a stored trial as its first jury saw it: the stored task, the kept workspace, output, times and metadata
 * of the stored invocation, before and reference from their stored places, and the item's facts about the right answer.
 * The workspace of the context is disposable, which removes everything that was made for it; `rejudge` does.
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
  const given = checkOptions('storedContext', options, storedContextRules)
  const { resultsDirectory, workspaces = 'copy', provision, datasetDirectory } = given
  const results = resultsDirectory === undefined ? undefined : resolve(resultsDirectory)
  const mirrors = repositoryMirrors()
  const lockOf = testsLocks(datasetDirectory)
  return async function storedContext(item, run, signal) {
    const { detail } = item
    if (run.kind === 'judge' || detail?.kind === 'judge')
      return { skip: 'not-an-agent-run', message: `Run ${run.id} is about a judge. Calibrate the judge again.` }
    if (detail === null) return { skip: 'no-detail', message: `Of ${trialText(item)} no invocation is stored.` }
    const stored = storedItem(item, results)
    const before = (await isThere(stored.before)) ? stored.before : null
    const asked = { ...stored, before, testsLock: await lockOf(item.itemId) }
    if (!(await isThere(asked.reference))) return referenceMissing(asked)
    const directory = workspaces === 'none' ? null : await keptDirectory(item, run, results)
    if (typeof directory === 'object' && directory !== null) return directory
    const kept =
      directory === null ? null : await keptFiles(directory, item, { before: stored.before, mirrors, signal })
    if (kept !== null && 'skip' in kept) return kept
    const opened = await openAgain({ asked, kept, workspaces, provision, mirrors, signal })
    if ('skip' in opened) return opened
    const { invocation } = detail
    const recorded = observedSteps(invocation) === undefined ? await recordedTools(item, run, results) : []
    return contextOver({ item, run, asked, invocation, recorded, opened, signal })
  }
}

/** The locks of a dataset by the ids of its items; `undefined` for an item that is not there, or has none. */
function testsLocks(directory: string | undefined): (id: string) => Promise<DatasetItem['testsLock']> {
  const dataset = directory === undefined ? undefined : openDataset(directory)
  dataset?.catch(() => undefined)
  return async (id) => {
    const item = await dataset?.then((opened) => opened.item(id)).catch(() => undefined)
    return item?.testsLock
  }
}

function referenceMissing({ id, reference }: DatasetItem): SkipReason {
  const place = reference?.type === 'directory' ? reference.path : 'its place'
  return { skip: 'reference-missing', message: `The reference of ${id} is no longer at ${place}.` }
}

async function isThere(source: DatasetItem['before']): Promise<boolean> {
  if (source?.type !== 'directory') return true
  return stat(source.path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** All files of a kept workspace, or the reason why they are not there. */
async function keptFiles(
  directory: string,
  item: ItemResult,
  {
    before,
    mirrors,
    signal,
  }: { readonly before: ItemSource | null; readonly mirrors: Mirrors; readonly signal: AbortSignal },
): Promise<KeptFiles | SkipReason> {
  const kept = await wholeWorkspace(directory, item.keptChanges, async () => {
    if (before?.type === 'git') return mirrors.tree(before, signal)
    if (before?.type !== 'directory' || !(await isThere(before))) return 'what it began with is no longer there'
    return { directory: before.path, [Symbol.asyncDispose]: async () => undefined }
  })
  if (typeof kept !== 'string') return kept
  const remedy = 'Bring it back, or judge with workspaces: none.'
  return { skip: 'before-changed', message: `Of the workspace of ${trialText(item)} ${kept}. ${remedy}` }
}

/** Workspaces for judges. Disposing of them removes the files that were made for them. */
interface Opened extends AsyncDisposable {
  readonly workspace: Workspace
  readonly before: Workspace | null
  readonly reference: Workspace | null
}

interface Opening {
  readonly asked: DatasetItem
  /** `null`: judges see an empty workspace. Goes with what is opened. */
  readonly kept: KeptFiles | null
  readonly workspaces: StoredWorkspaces
  readonly provision: Provision | undefined
  readonly mirrors: Mirrors
  readonly signal: AbortSignal
}

/**
 * Opens the kept files, and before and reference at their stored places. A commit that cannot be fetched is a reason to
 * skip.
 */
async function openAgain(opening: Opening): Promise<Opened | SkipReason> {
  const { asked, kept, workspaces, provision, signal } = opening
  try {
    if (kept === null || workspaces === 'in-place' || provision?.reopen === undefined) return await openPlainly(opening)
    const lease = await provision.reopen({ item: asked, directory: kept.directory, signal })
    const { workspace, before, reference } = lease
    const dispose = async () => {
      await lease[Symbol.asyncDispose]()
      await kept[Symbol.asyncDispose]()
    }
    return { workspace: readOnly(workspace), before, reference, [Symbol.asyncDispose]: dispose }
  } catch (thrown) {
    await kept?.[Symbol.asyncDispose]()
    signal.throwIfAborted()
    if (!JuristError.is(thrown, 'git-failed')) throw thrown
    return { skip: 'reference-missing', message: failureOf(thrown).message }
  }
}

/** Opens the workspaces without the provision of the run. */
async function openPlainly({ asked, kept, workspaces, mirrors, signal }: Opening): Promise<Opened> {
  const views = await openViews(asked, mirrors, { options: {}, isolation: 'none' }, signal)
  const { before, reference } = views
  const leave = async () => {
    await views[Symbol.asyncDispose]()
    await kept?.[Symbol.asyncDispose]()
  }
  if (kept === null) return { workspace: emptyWorkspace(), before, reference, [Symbol.asyncDispose]: leave }
  if (workspaces === 'in-place')
    return { workspace: readOnly(localWorkspace(kept.directory)), before, reference, [Symbol.asyncDispose]: leave }
  try {
    const copy = await copyOf(kept.directory, { signal })
    const dispose = async () => {
      await copy[Symbol.asyncDispose]()
      await leave()
    }
    return { workspace: readOnly(copy), before, reference, [Symbol.asyncDispose]: dispose }
  } catch (thrown) {
    await views[Symbol.asyncDispose]()
    throw thrown
  }
}

interface Stored {
  readonly item: ItemResult
  readonly run: ExperimentResult
  readonly asked: DatasetItem
  readonly invocation: ExperimentInvocation
  readonly recorded: readonly JournalEvent[]
  readonly opened: Opened
  readonly signal: AbortSignal
}

function contextOver({ item, run, asked, invocation, recorded, opened, signal }: Stored): JudgmentContext {
  const { repetition, attempts, startedAt } = item
  const { knowledge, experimentName, variant } = run
  const workspace = Object.freeze({
    ...opened.workspace,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  })
  return contextOf({
    item: asked,
    workspace,
    before: opened.before,
    reference: opened.reference,
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

/** The tool events in the journal of a trial's last attempt; none without a journal. */
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
