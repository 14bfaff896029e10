import { realpathSync, statSync } from 'node:fs'
import { blamed, type Workspace } from '@jurist/core'
import { type OptionRule, option } from '@jurist/core/internal'
import { ownRoot } from './containment.js'
import type { EnvironmentPolicy } from './environment.js'
import type { NetworkAttempt } from './sandbox/egress/allow-list.js'
import type { CommandLimits, Sandbox } from './sandbox/sandbox.js'

/** The resources that a workspace and its commands may use. */
export interface WorkspaceLimits extends CommandLimits {
  /** How many commands run at the same time. Others wait, and their time limit begins with their start. Default 4. */
  readonly concurrentCommands: number
  /** How many bytes one read may return, unless the call sets another limit. Default 10 MiB. */
  readonly readBytes: number
  /** How many entries `list` may return, unless the call sets another limit. Default 200,000. */
  readonly treeEntries: number
}
/** Options of `localWorkspace`. */
export interface LocalWorkspaceOptions {
  /** The sandbox of commands. Default `'none'`: they run on the machine itself. */
  readonly sandbox?: 'none' | 'bubblewrap' | Sandbox
  /** The variables of the host that commands get. Default: the few that programs need, and no secrets. */
  readonly environment?: EnvironmentPolicy
  readonly limits?: Partial<WorkspaceLimits>
  /**
   * How commands run if several judges are combined: with `'in-copies'`, each judge has its own copy; with
   * `'in-place'`, all use the directory itself and can change what the others read. Use `'in-place'` for trees too
   * large to copy, and for projects that work only at their own path. Default `'in-copies'`.
   */
  readonly judges?: 'in-copies' | 'in-place'
  /**
   * The files that a setup installed. A newly created workspace gets a copy of it; an existing workspace already has it. Tests
   * that are laid over the work run with a new copy, whatever was changed in the workspace. Default: nothing.
   */
  readonly installed?: Installed
  /**
   * Called with each attempt of a command to reach a host, when it is over. Only sandboxes with an allow-list know of
   * them. Default: nothing.
   */
  readonly onNetwork?: ((attempt: NetworkAttempt) => void) | undefined
}

/** Directories that were installed, such as packages. */
export interface Installed {
  /** The absolute directory that contains them. */
  readonly from: string
  /** Their paths there and in the workspace, such as `node_modules`. */
  readonly paths: readonly string[]
}

export const workspaceRules: { readonly [name in keyof Required<LocalWorkspaceOptions>]: OptionRule } = {
  sandbox: {
    wants: '"none", "bubblewrap" or a sandbox',
    holds: (value) =>
      value === 'none' || value === 'bubblewrap' || (typeof value === 'object' && value !== null && 'launch' in value),
  },
  environment: option.record,
  limits: option.record,
  judges: option.oneOf('in-copies', 'in-place'),
  installed: option.record,
  onNetwork: option.function,
}

const settings = new WeakMap<object, LocalWorkspaceOptions>()

/**
 * Stores how a workspace runs its commands, keyed by the description of its sandbox: views of a workspace have the same
 * description. The environment is not visible, since it may contain secrets.
 */
export function keepSettings(sandbox: object, options: LocalWorkspaceOptions): void {
  settings.set(sandbox, options)
}

/**
 * Returns how a workspace runs its commands, for another one that should run them in the same way; `undefined` if it is
 * unknown.
 */
export function settingsOf(workspace: Workspace): LocalWorkspaceOptions | undefined {
  const { sandbox } = workspace as { readonly sandbox?: unknown }
  return typeof sandbox === 'object' && sandbox !== null ? settings.get(sandbox) : undefined
}

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
