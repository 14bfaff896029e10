import { realpath, stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import type { Workspace } from '@jurist/core'
import { emptyWorkspace } from '@jurist/core/internal'
import { copyOf, localWorkspace, readOnly } from '@jurist/workspace'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import type { SkipReason, StoredWorkspaces } from './rejudge-options.js'

/** A workspace as a jury sees it again, until it is disposed of. */
export interface StoredWorkspace extends AsyncDisposable {
  readonly workspace: Workspace
}

const nothing: StoredWorkspace = { workspace: emptyWorkspace(), [Symbol.asyncDispose]: async () => {} }

/** Opens what was kept of a trial's workspace, or says why that cannot be done. */
export async function openStoredWorkspace(
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
  const directory = await keptDirectory(item.workspacePath, run, resultsDirectory)
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

/** The kept directory; `undefined` when it is not there, or a path or a link leads out of the results. */
async function keptDirectory(
  path: string,
  { experimentName, id }: ExperimentResult,
  resultsDirectory: string | undefined,
): Promise<string | undefined> {
  if (resultsDirectory === undefined) return undefined
  const experiment = resolve(resultsDirectory, experimentName)
  try {
    const directory = await realpath(join(experiment, id, path))
    const isInside = directory.startsWith(`${await realpath(experiment)}${sep}`)
    return isInside && (await stat(directory)).isDirectory() ? directory : undefined
  } catch {
    return undefined
  }
}
