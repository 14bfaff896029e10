import { dirname, relative, sep } from 'node:path'
import type { JsonObject } from '@jurist/core'
import { frozenJson } from '@jurist/core/internal'
import type { DatasetItem, ItemSource } from '../dataset/item.js'
import type { ItemResult } from '../result/records.js'

type Paths = Pick<ItemResult, 'beforePath' | 'referencePath'>

/**
 * Where the files of an item stand, relative to the results directory, so that both can be moved together; absolute when
 * the store keeps no files. Git sources have no path: see `gitSources`.
 */
export function itemPaths({ before, reference }: DatasetItem, runDirectory: string | null): Paths {
  return { beforePath: sourcePath(before, runDirectory), referencePath: sourcePath(reference, runDirectory) }
}

function sourcePath(source: ItemSource | null, runDirectory: string | null): string | null {
  if (source?.type !== 'directory') return null
  if (runDirectory === null) return source.path
  // <results>/<experiment>/<run>
  return relative(dirname(dirname(runDirectory)), source.path)
    .split(sep)
    .join('/')
}

/** The git sources of an item as metadata: `beforeSource`, `referenceSource`. */
export function gitSources({ before, reference }: DatasetItem): JsonObject {
  return {
    ...(before?.type === 'git' ? { beforeSource: { ...before } } : {}),
    ...(reference?.type === 'git' ? { referenceSource: { ...reference } } : {}),
  }
}

/** What an item knows of the right answer, as metadata: judges that are asked again later need it. */
export function rightAnswer({ expectedOutput, referenceData, noChange }: DatasetItem): JsonObject {
  return {
    ...(expectedOutput === null
      ? {}
      : { expectedOutput: frozenJson(expectedOutput, ['expectedOutput']) as JsonObject }),
    ...(referenceData.length === 0 ? {} : { referenceData }),
    ...(noChange ? { noChange } : {}),
  }
}
