import { realpathSync, statSync } from 'node:fs'
import { blamed, type Workspace } from '@jurist/core'
import { ownRoot } from './containment.js'
import { settingsOf } from './workspace-settings.js'

/**
 * The real directory of a workspace that has one; a workspace in memory may only claim it.
 *
 * @throws `path-escape`, the agent's fault, when something else is in the place of a local workspace
 */
export function directoryOf(workspace: Workspace): string | undefined {
  const { root } = workspace
  try {
    // The root of a local workspace had no links when it was opened.
    if (root !== undefined && settingsOf(workspace) !== undefined) return ownRoot(root)
  } catch (thrown) {
    throw blamed(workspace, thrown)
  }
  if (root === undefined || statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined
  return realpathSync.native(root)
}
