import { statSync } from 'node:fs'
import { maxEntries, type Workspace, type WorkspaceEntry } from '@jurist/core'
import { listTree } from '../list-tree.js'

/**
 * The entries of a workspace without what others wrote: dependencies alone may have more entries than are listed, and no
 * run writes its results there.
 */
export function projectEntries(workspace: Workspace, signal: AbortSignal): AsyncIterable<WorkspaceEntry> {
  const { root } = workspace
  if (root === undefined || !statSync(root, { throwIfNoEntry: false })?.isDirectory()) return workspace.list({ signal })
  return listTree(root, { under: '.', ignore: ['.git/', 'node_modules/'], maxEntries, signal })
}
