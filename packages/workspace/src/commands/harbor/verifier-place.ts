import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { JuristError, type Workspace } from '@jurist/core'
import { copyOf, emptyDirectory } from '../../copy.js'
import { readFileBytes, strictText } from '../../file-content.js'
import type { ProvisionedWorkspace } from '../../provision.js'
import { bubblewrapSandbox } from '../../sandbox/bubblewrap.js'
import { unavailable } from '../../sandbox/prerequisites.js'
import type { Sandbox, SandboxMount } from '../../sandbox/sandbox.js'
import { deleteTree, temporaryDirectory } from '../../temporary-directory.js'
import { directoryOf } from '../../workspace-directory.js'
import { type LocalWorkspaceOptions, settingsOf } from '../../workspace-settings.js'
import { type DockerPlan, dockerPlan, shown } from './dockerfile.js'
import { type HostAnswers, missingOnHost } from './host-tools.js'

/** Where a script of a task runs. */
export interface Placing {
  /** The directory of the task. */
  readonly task: string
  /** The directory of the task that the script is in, and the place where it is seen. */
  readonly scripts: { readonly from: 'tests' | 'solution'; readonly at: string }
  readonly workdir: string
  readonly network: boolean
  readonly hostTools: boolean
  readonly memoryBytes?: number | undefined
  readonly cpus?: number | undefined
}

/** A copy of a workspace at its place in a sandbox, with the scripts and empty logs. */
export interface Placed extends AsyncDisposable {
  readonly copy: ProvisionedWorkspace
  /** The directory of the machine that is `/logs`. */
  readonly logs: string
  readonly sandbox: Pick<Sandbox, 'name' | 'isolation'>
  /** Variables of the image, where no container has them. */
  readonly env: { readonly [name: string]: string }
}

/**
 * Lays out what a script of a task finds: the workspace, its own directory, and `/logs`, which is new and empty whatever
 * the agent left. All are copies, which are deleted afterwards.
 *
 * @throws `sandbox-unavailable` naming what needs a container
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
    const { sandbox, env } = await sandboxFor(settings, placing, mounts)
    const options = { ...settings, sandbox, limits: limitsIn(sandbox, settings, placing), signal }
    const root = directoryOf(workspace)
    const copy =
      root === undefined
        ? await emptyDirectory(options)
        : await copyOf(root, { ...options, ignore: [], misfits: 'leave-out' })
    const dispose = async () => {
      await copy[Symbol.asyncDispose]()
      await deleteTree(own)
    }
    return { copy, logs, sandbox, env, [Symbol.asyncDispose]: dispose }
  } catch (thrown) {
    await deleteTree(own)
    throw thrown
  }
}

/** How the workspace of an agent runs its commands. */
export function knownSettings(workspace: Workspace): LocalWorkspaceOptions {
  const settings = settingsOf(workspace)
  if (settings !== undefined) return settings
  throw unavailable('harbor', 'the workspace does not show the sandbox of a local workspace; judge a local one')
}

/** The directory of a task. */
export function taskDirectory(task: Workspace): string {
  const directory = directoryOf(task)
  if (directory !== undefined) return directory
  throw new JuristError('not-found', 'The task has no directory. Name one that holds task.toml.', { path: 'task' })
}

/** A directory that the user of an image may write to as well. */
function openDirectory(path: string): void {
  mkdirSync(path, { recursive: true })
  chmodSync(path, 0o777)
}

/** Only containers limit memory. */
function limitsIn({ isolation }: Sandbox, { limits = {} }: LocalWorkspaceOptions, { memoryBytes }: Placing) {
  return isolation !== 'container' || memoryBytes === undefined ? limits : { memoryBytes, ...limits }
}

async function sandboxFor(
  { sandbox }: LocalWorkspaceOptions,
  placing: Placing,
  mounts: readonly SandboxMount[],
): Promise<{ readonly sandbox: Sandbox; readonly env: DockerPlan['env'] }> {
  const { workdir, network, cpus } = placing
  const given = typeof sandbox === 'object' ? sandbox : undefined
  const isContainer = given?.isolation === 'container'
  const env = isContainer ? {} : await hostVariables(placing)
  const base = isContainer || given?.name === 'bubblewrap' ? given : bubblewrapSandbox()
  const changed = base.with?.({ workspaceAt: workdir, mounts, network, ...(cpus === undefined ? {} : { cpus }) })
  if (changed === undefined) throw unavailable(base.name, 'it cannot show directories at places of their own')
  if (!isContainer) await changed.probe()
  return { sandbox: changed, env }
}

/**
 * The variables of the image of a task, for this machine.
 *
 * @throws `sandbox-unavailable` unless this machine has what the image of the task has
 */
async function hostVariables({ task, hostTools, workdir }: Placing): Promise<DockerPlan['env']> {
  const remedy = 'Give the experiment a docker sandbox'
  if (!hostTools)
    throw unavailable(
      'harbor',
      `the verifier of a Harbor task runs in a container. ${remedy}, or set hostTools where this machine has the programs of the image`,
    )
  const obstacle = await containerNeed(task, workdir)
  if (obstacle !== undefined) throw unavailable('harbor', `${obstacle}. ${remedy}`)
  return planOf(join(task, 'environment'), workdir).env
}

const maxDockerfileBytes = 1024 * 1024

/**
 * What of a task needs a container on this machine, with its place; `undefined`: nothing.
 *
 * @param answers what this machine answered for other tasks
 */
export async function containerNeed(
  task: string,
  workdir: string | undefined,
  answers: HostAnswers = new Map(),
): Promise<string | undefined> {
  const environment = join(task, 'environment')
  for (const name of ['docker-compose.yaml', 'docker-compose.yml'])
    if (isFile(join(environment, name))) return `environment/${name} needs containers`
  if (!isFile(join(environment, 'Dockerfile'))) return 'environment/ has no Dockerfile, so the image is needed'
  const { obstacle, runs } = planOf(environment, workdir)
  if (obstacle !== undefined)
    return `environment/Dockerfile:${obstacle.line} needs a container: ${obstacle.text} (${obstacle.reason})`
  for (const line of runs) {
    const missing = await missingOnHost(line, answers)
    if (missing !== undefined)
      return `environment/Dockerfile:${line.line} needs a container: ${shown(line)} (${missing})`
  }
  return undefined
}

function planOf(environment: string, workdir: string | undefined): DockerPlan {
  return dockerPlan(strictText(readFileBytes(environment, 'Dockerfile', maxDockerfileBytes), 'Dockerfile'), workdir)
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
