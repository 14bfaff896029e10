import type { Workspace } from '@jurist/core'
import { type OptionRule, option } from '@jurist/core/internal'
import type { EnvironmentPolicy } from './environment.js'
import type { CommandLimits, Sandbox } from './sandbox/sandbox.js'

/** What a workspace and its commands may use up. */
export interface WorkspaceLimits extends CommandLimits {
  /** How many commands run at the same time. Others wait, and their time limit begins with their start. Default 4. */
  readonly concurrentCommands: number
  /** The most that one read gives unless the call says otherwise. Default 10 MiB. */
  readonly readBytes: number
  /** The most entries that `list` gives unless the call says otherwise. Default 200,000. */
  readonly treeEntries: number
}
/** Options of `localWorkspace`. */
export interface LocalWorkspaceOptions {
  /** Where commands run. Default `'none'`: on the machine itself. */
  readonly sandbox?: 'none' | 'bubblewrap' | Sandbox
  /** Which variables of the host commands get. Default: the few that programs need, and no secrets. */
  readonly environment?: EnvironmentPolicy
  readonly limits?: Partial<WorkspaceLimits>
  /**
   * Where the commands of judges run that are combined with others: each judge in its own copy (the default), or all
   * in the directory itself, where they can change what the others look at. For trees too large to copy, and for projects
   * that work only where they are.
   */
  readonly judges?: 'in-copies' | 'in-place'
  /**
   * What a setup installed. A workspace that is made gets a copy of it; an existing workspace already has it. Where tests are
   * laid over the work, they run with a fresh copy, whatever was changed in the workspace. Default: nothing.
   */
  readonly installed?: Installed
}

/** Directories that were installed, such as packages. */
export interface Installed {
  /** The absolute directory that holds them. */
  readonly from: string
  /** Their paths there and in the workspace, such as `node_modules`. */
  readonly paths: readonly string[]
}

/** The rules of these options, for `checkOptions`. */
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
}

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
