import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import type { SkipReason } from './rejudge-options.js'

/**
 * The directory of what was kept of a trial's workspace, or why it cannot be had; `null`: the trial never had one.
 *
 * @param resultsDirectory the directory of the file store that holds the run; `undefined`: unknown
 */
export async function keptDirectory(
  item: ItemResult,
  run: ExperimentResult,
  resultsDirectory: string | undefined,
): Promise<string | null | SkipReason> {
  if (item.workspacePath === null) return hadWorkspace(item) ? missing(item, 'was not kept') : null
  const place = await keptPath(item.workspacePath, run, resultsDirectory)
  return place?.stats.isDirectory() ? place.path : missing(item, `is not at ${item.workspacePath} of run ${run.id}`)
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
export async function keptPath(
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
