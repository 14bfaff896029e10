import type { Workspace } from '@jurist/core'
import type { LocalWorkspaceOptions } from './local-workspace.js'

const settings = new WeakMap<object, LocalWorkspaceOptions>()

/**
 * Keeps how a workspace runs its commands, under the description of its sandbox that it shows: views of a workspace show
 * the same one. The environment is not shown, since it may hold secrets.
 */
export function keepSettings(sandbox: object, options: LocalWorkspaceOptions): void {
  settings.set(sandbox, options)
}

/** How a workspace runs its commands, for another one that shall run them alike; `undefined` when it is not known. */
export function settingsOf(workspace: Workspace): LocalWorkspaceOptions | undefined {
  const { sandbox } = workspace as { readonly sandbox?: unknown }
  return typeof sandbox === 'object' && sandbox !== null ? settings.get(sandbox) : undefined
}
