import { realpathSync, statSync } from 'node:fs'
import { blamed, type Workspace } from '@jurist/core'
import { ownRoot } from './containment.js'
import { settingsOf } from './workspace-settings.js'

/**
 * Returns the real directory of a workspace that has one; a workspace in memory may only claim it.
 *
 * @throws `path-escape`, which is the agent's fault, when something else has replaced the root of a local workspace
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
