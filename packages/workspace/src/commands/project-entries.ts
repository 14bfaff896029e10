import { blamed, type Workspace, type WorkspaceEntry } from '@jurist/core'
import { maxEntries } from '@jurist/core/internal'
import { directoryOf } from '../containment.js'
import { leftOut, listTree } from '../list-tree.js'

/**
 * The entries of a workspace without what others wrote, unless one of the globs names a place there: dependencies alone may
 * have more entries than are listed, and no run writes its results there.
 */
export async function* projectEntries(
  workspace: Workspace,
  signal: AbortSignal,
  globs: readonly string[] = [],
): AsyncGenerator<WorkspaceEntry> {
  try {
    const root = directoryOf(workspace)
    if (root === undefined) yield* workspace.list({ signal })
    else yield* listTree(root, { under: '.', ignore: await leftOut(globs), maxEntries, signal })
  } catch (thrown) {
    throw blamed(workspace, thrown)
  }
}
