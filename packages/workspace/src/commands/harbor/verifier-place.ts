import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { JuristError, type Workspace } from '@jurist/core'
import { copyOf, emptyDirectory } from '../../copy.js'
import type { ProvisionedWorkspace } from '../../provision.js'
import type { NetworkAllowList } from '../../sandbox/egress/allow-list.js'
import { unavailable } from '../../sandbox/prerequisites.js'
import type { Sandbox, SandboxMount } from '../../sandbox/sandbox.js'
import { deleteTree, temporaryDirectory } from '../../temporary-directory.js'
import { directoryOf } from '../../workspace-directory.js'
import { type LocalWorkspaceOptions, settingsOf } from '../../workspace-settings.js'

/** The working directory of tasks that do not state one. */
export const usualWorkdir = '/app'

export interface Placing {
  /** The directory of the task. */
  readonly task: string
  /** The directory of the task that contains the script, and its path in the sandbox. */
  readonly scripts: { readonly from: 'tests' | 'solution'; readonly at: string }
  readonly workdir: string
  readonly network: boolean | NetworkAllowList
  readonly memoryBytes?: number | undefined
  readonly cpus?: number | undefined
}

/** A copy of a workspace at its place in a sandbox, with the scripts and empty logs. */
export interface Placed extends AsyncDisposable {
  readonly copy: ProvisionedWorkspace
  /** The directory of the machine that is mounted at `/logs`. */
  readonly logs: string
}

/**
 * Creates the files that a script of a task finds: the workspace, its own directory, and `/logs`, which is new and
 * empty whatever the agent left. All are copies, which are deleted afterwards.
 *
 * @throws `sandbox-unavailable` without a container
 */
export async function placed(
  workspace: Workspace,
  placing: Placing,
  settings: LocalWorkspaceOptions,
  signal: AbortSignal,
): Promise<Placed> {
  const own = temporaryDirectory()
  try {
    const [scripts, logs] = [join(own, 'scripts'), join(own, 'logs')]
    for (const name of ['verifier', 'agent', 'artifacts']) openDirectory(join(logs, name))
    const made = await copyOf(join(placing.task, placing.scripts.from), { to: scripts, signal })
    made.keep()
    await made[Symbol.asyncDispose]()
    const mounts = [
      { from: scripts, to: placing.scripts.at, writable: true },
      { from: logs, to: '/logs', writable: true },
    ]
    const { memoryBytes } = placing
    const limits = memoryBytes === undefined ? settings.limits : { memoryBytes, ...settings.limits }
    const options = { ...settings, sandbox: containerFor(settings, placing, mounts), limits: limits ?? {}, signal }
    const root = directoryOf(workspace)
    const copy =
      root === undefined
        ? await emptyDirectory(options)
        : await copyOf(root, { ...options, ignore: [], misfits: 'leave-out' })
    const dispose = async () => {
      await copy[Symbol.asyncDispose]()
      await deleteTree(own)
    }
    return { copy, logs, [Symbol.asyncDispose]: dispose }
  } catch (thrown) {
    await deleteTree(own)
    throw thrown
  }
}

/** Returns how the workspace of an agent runs its commands. */
export function knownSettings(workspace: Workspace): LocalWorkspaceOptions {
  const settings = settingsOf(workspace)
  if (settings !== undefined) return settings
  throw unavailable('harbor', 'the workspace does not show the sandbox of a local workspace; judge a local one')
}

export function taskDirectory(task: Workspace): string {
  const directory = directoryOf(task)
  if (directory !== undefined) return directory
  throw new JuristError('not-found', 'The task has no directory. Name one that holds task.toml.', { path: 'task' })
}

/** Makes a directory writable for the user of an image. */
function openDirectory(path: string): void {
  mkdirSync(path, { recursive: true })
  chmodSync(path, 0o777)
}

/** The container in which a workspace runs its commands, with the mounts of a task. */
function containerFor(
  { sandbox }: LocalWorkspaceOptions,
  { workdir, network, cpus }: Placing,
  mounts: readonly SandboxMount[],
): Sandbox {
  if (typeof sandbox !== 'object' || sandbox.isolation !== 'container')
    throw unavailable(
      'harbor',
      'the scripts of a Harbor task run in containers. Install docker or podman, and import the tasks again, or give the experiment a docker sandbox',
    )
  const changed = sandbox.with?.({
    workspaceAt: workdir,
    mounts,
    network: network === true ? 'host' : network === false ? 'none' : network,
    ...(cpus === undefined ? {} : { cpus }),
  })
  if (changed === undefined) throw unavailable(sandbox.name, 'it cannot show directories at places of their own')
  return changed
}
