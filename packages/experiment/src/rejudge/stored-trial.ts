import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, resolve, sep } from 'node:path'
import type { Json, JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { DatasetItem, ItemSource } from '../dataset/item.js'
import { noSettings } from '../dataset/item-fields.js'
import { filesProblem } from '../dataset/item-files.js'
import { type ExperimentResult, hadWorkspace, type ItemResult } from '../result/records.js'
import { trialText } from '../result/trial-figures.js'
import { expectedOutputOf } from '../result/trial-texts.js'
import type { SkipReason } from './rejudge-options.js'

/**
 * The item of a stored trial, as far as the trial records it: for judging again, and for filters, without the dataset. Its
 * status is not stored: it counts as active.
 *
 * @param resultsDirectory what the paths of `before` and `reference` are relative to; without it they stay relative
 */
export function storedItem(item: ItemResult, resultsDirectory?: string): DatasetItem {
  const { itemId, itemSlug, bucket, taskType, task, tags, itemHash, metadata } = item
  const { referenceData, noChange } = metadata
  return {
    id: itemId,
    slug: itemSlug,
    path: null,
    bucket,
    taskType,
    status: 'active',
    metadata: ownMetadata(metadata),
    task,
    input: null,
    noChange: noChange === true,
    tags,
    knowledgeRefs: [],
    before: sourceOf(item.beforePath, metadata['beforeSource'], resultsDirectory),
    reference: sourceOf(item.referencePath, metadata['referenceSource'], resultsDirectory),
    expectedOutput: expectedOutputOf(item),
    expectedAnyOf: item.expectedAnyOf === true,
    referenceData: Array.isArray(referenceData) ? referenceData.filter((text) => typeof text === 'string') : [],
    ...noSettings,
    judges: item.judges?.described ?? null,
    jury: null,
    hash: itemHash,
  }
}

/** Metadata without notes of earlier judgings: judges see the same metadata as at first. */
function ownMetadata({ rejudge, original, ...metadata }: JsonObject): JsonObject {
  return metadata
}

function sourceOf(path: string | null, source: Json | undefined, results: string | undefined): ItemSource | null {
  if (path !== null) return { type: 'directory', path: placeOf(path, results) ?? path }
  if (!isPlainObject(source)) return null
  if (source['type'] === 'files') return storedFiles(source['files'])
  const { repoPath, commitHash, subDirectory = null } = source
  if (typeof repoPath !== 'string' || typeof commitHash !== 'string') return null
  return { type: 'git', repoPath, commitHash, subDirectory: typeof subDirectory === 'string' ? subDirectory : null }
}

/** Stored files are checked again: a damaged store could name any path. */
function storedFiles(files: Json | undefined): ItemSource | null {
  const found = filesProblem(files)
  return typeof found === 'string' ? null : found
}

/** A stored path as an absolute one; `undefined` when its base is unknown. */
function placeOf(path: string, directory: string | undefined): string | undefined {
  if (isAbsolute(path)) return path
  return directory === undefined ? undefined : resolve(directory, path)
}

/**
 * The directory of a trial's kept workspace, or the reason why it is unavailable; `null`: the trial never had one.
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

function missing({ itemId, repetition }: ItemResult, why: string): SkipReason {
  const message = `The workspace of ${trialText({ itemId, repetition })} ${why}. Run with preserveWorkspaces: 'all', or judge with workspaces: 'none'.`
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
