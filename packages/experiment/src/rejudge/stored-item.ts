import { isAbsolute, resolve } from 'node:path'
import type { Json, JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { DatasetItem, ItemSource } from '../dataset/item.js'
import { noSettings } from '../dataset/item-fields.js'
import { filesProblem } from '../dataset/item-files.js'
import { expectedOutputOf } from '../result/expected-output.js'
import type { ItemResult } from '../result/records.js'

/**
 * The item of a stored trial, as far as the trial records it: for judging again, and for filters, without the dataset. Its
 * status is not stored: it counts as active.
 *
 * @param resultsDirectory what the paths of `before` and `reference` are relative to; without it they stay relative
 *
 * @example
 * const { bucket } = storedItem(result.items[0], 'results')
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

/** Metadata without what earlier judgings noted: judges see what they saw at first. */
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
