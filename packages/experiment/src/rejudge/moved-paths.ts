import { isAbsolute, posix } from 'node:path'
import type { ExperimentResult, ItemResult } from '../result/records.js'

/**
 * The places of a trial as seen from a new run beside the old one: kept workspaces and journals stay where they are. In
 * another store they cannot be named.
 */
export function movedPaths(item: ItemResult, run: ExperimentResult, isBeside: boolean): ItemResult {
  const { workspacePath, journalPath, referencePath, beforePath } = item
  const fromSibling = (path: string | null) => {
    if (path === null || !isBeside) return null
    return posix.normalize(posix.join('..', run.id, path))
  }
  const fromResults = (path: string | null) => (path === null || isBeside || isAbsolute(path) ? path : null)
  return {
    ...item,
    workspacePath: fromSibling(workspacePath),
    journalPath: fromSibling(journalPath),
    referencePath: fromResults(referencePath),
    beforePath: fromResults(beforePath),
  }
}
