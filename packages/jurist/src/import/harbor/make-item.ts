import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { failureOf, printed } from '@jurist/core/internal'
import { copyOf, dockerSandbox, type Sandbox } from '@jurist/workspace'
import { containerNeed, type HostAnswers, usualWorkdir } from '@jurist/workspace/internal'
import { type ContainerProgram, copyContext, copyFromImage, planOf, taskImage } from './container-image.js'
import type { HarborTask } from './read-tasks.js'

/** How items are made. */
export interface Making {
  readonly container: ContainerProgram | undefined
  readonly hostTools: boolean
  /** What this machine answered to questions about its programs. */
  readonly answers: HostAnswers
  readonly signal: AbortSignal
}

/** What a task runs on, and whether that is there. */
export interface TaskMachine extends Machine {
  readonly isReady: boolean
  /** Whether any machine of ours could run it. */
  readonly isSupported: boolean
  readonly sandbox: Sandbox | undefined
}

/** Writes the item of a task. */
export async function makeItem(
  directory: string,
  task: HarborTask,
  making: Making,
): Promise<{ readonly machine: TaskMachine; readonly notes: readonly string[] }> {
  const { file } = task
  const made = await machineOf(task, making)
  const filled = await writeItem(directory, task, made.machine)
  const history = await gitDirectory(join(directory, 'before'))
  const unknown = file.unknown.map((key) => `${key} is not a key of Harbor's schema; it is kept in the item's source`)
  return { machine: made.machine, notes: [...unknown, ...file.notes, ...made.notes, ...filled, ...history] }
}

/** Workspaces are copied without their history. */
async function gitDirectory(before: string): Promise<readonly string[]> {
  const entries = await readdir(before, { recursive: true, withFileTypes: true }).catch(() => [])
  const found = entries.find(({ name }) => name === '.git')
  if (found === undefined) return []
  const path = relative(before, join(found.parentPath, found.name))
  return [`${path} is left out of the workspaces: agents and verifiers see no history of git`]
}

async function machineOf(task: HarborTask, { container, hostTools, answers, signal }: Making) {
  const plan = await planOf(task)
  const notes: string[] = []
  const { workdir } = plan
  const fill: Machine['fill'] = (before, kept) => copyContext(join(kept, 'environment'), before, plan)
  const without: TaskMachine = {
    workdir,
    hostTools,
    image: undefined,
    fill,
    isReady: false,
    isSupported: true,
    sandbox: undefined,
  }
  if (task.file.os !== 'linux') {
    notes.push(`the item is disabled: environment.os is ${printed(task.file.os)}, and only Linux is supported`)
    return { machine: { ...without, isSupported: false }, notes }
  }
  if (container === undefined) {
    const need = await containerNeed(task.directory, workdir, answers)
    const names = Object.keys(plan.env)
    if (hostTools && need === undefined && names.length > 0)
      notes.push(`ENV ${names.join(', ')}: the verifier and the solution get it, and agents do not`)
    notes.push(...plan.notes, ...(need === undefined ? [] : [hostTools ? `the item is disabled: ${need}` : need]))
    return { machine: { ...without, isReady: hostTools && need === undefined }, notes }
  }
  try {
    const machine = await inContainer(container, task, workdir, signal)
    return { machine, notes }
  } catch (thrown) {
    signal.throwIfAborted()
    notes.push(`there is no image, so the item is disabled: ${failureOf(thrown).message}`)
    return { machine: without, notes }
  }
}

async function inContainer(
  cli: ContainerProgram,
  task: HarborTask,
  planned: string,
  signal: AbortSignal,
): Promise<TaskMachine> {
  const { image, workdir: said } = await taskImage(cli, task, signal)
  const workdir = task.file.workdir === undefined ? (said ?? planned) : planned
  return {
    ...{ workdir, image, hostTools: false, isReady: true, isSupported: true },
    sandbox: dockerSandbox({ image, cli, asImage: true }),
    async fill(before) {
      await copyFromImage(cli, { image, from: workdir, to: before }, signal)
      return []
    },
  }
}

/** The sandbox of agents. What they reach is what every task allows. */
export function sandboxOfAgents(
  machines: readonly TaskMachine[],
  tasks: readonly HarborTask[],
  container: ContainerProgram | undefined,
): { readonly sandbox: object | string; readonly about: string } {
  const [{ workdir: workspaceAt, image } = { workdir: '/app', image: undefined }] = machines.filter(
    ({ isReady }) => isReady,
  )
  const isOpen = tasks.every(({ file }) => file.network)
  const about = 'Where commands of agents and judges run: the workspace is where the instructions say.'
  if (container !== undefined && image !== undefined) {
    const network = isOpen ? { network: 'bridge' } : {}
    return { sandbox: { docker: { image, cli: container, workspaceAt, asImage: true, ...network } }, about }
  }
  if (machines.some(({ hostTools }) => hostTools))
    return { sandbox: { bubblewrap: { workspaceAt, ...(isOpen ? { network: 'host' } : {}) } }, about }
  return {
    sandbox: 'none',
    about: 'Verifiers need containers: import the tasks with --container docker, or with --host-tools.',
  }
}

/** What a task runs on. */
interface Machine {
  /** Where the workspace is. */
  readonly workdir: string
  readonly hostTools: boolean
  /** Of its containers. */
  readonly image: string | undefined
  /** Makes the files that an agent begins with. Returns notes. */
  readonly fill: (before: string, task: string) => Promise<readonly string[]>
}

/** Writes the directory of an item: its task, the files before, and the task of Harbor as it is. Returns notes. */
async function writeItem(directory: string, task: HarborTask, machine: Machine): Promise<readonly string[]> {
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'task.md'), task.instruction)
  const kept = await copyOf(task.directory, { to: join(directory, 'harbor'), ignore: ['/.git/'] })
  kept.keep()
  await kept[Symbol.asyncDispose]()
  const before = join(directory, 'before')
  const notes = await machine.fill(before, join(directory, 'harbor'))
  const isEmpty = (await stat(before).catch(() => undefined)) === undefined
  await writeFile(join(directory, 'item.json'), `${JSON.stringify(itemOf(task, machine, isEmpty), null, 2)}\n`)
  return notes
}

/** What `item.json` says. */
function itemOf(task: HarborTask, { workdir, hostTools, image }: Machine, isEmpty: boolean): object {
  const { file, digest } = task
  const { agentTimeoutMs, verifierTimeoutMs, network, verifierEnv, memoryBytes, cpus, keywords } = file
  return {
    ...(agentTimeoutMs === undefined ? {} : { timeoutMs: agentTimeoutMs }),
    ...(image === undefined ? {} : { image }),
    tags: [...new Set(keywords.map((keyword) => keyword.trim()).filter((keyword) => keyword !== ''))],
    judges: {
      verifier: {
        type: 'harbor-verifier',
        task: 'harbor',
        ...(workdir === usualWorkdir ? {} : { workdir }),
        ...(verifierTimeoutMs === undefined ? {} : { timeoutMs: verifierTimeoutMs }),
        ...(Object.keys(verifierEnv).length === 0 ? {} : { env: verifierEnv }),
        ...(network ? { network } : {}),
        ...(hostTools ? { hostTools } : {}),
        ...(memoryBytes === undefined ? {} : { memoryBytes }),
        ...(cpus === undefined ? {} : { cpus }),
      },
    },
    metadata: {
      ...(isEmpty ? { workspace: 'none' } : {}),
      source: {
        format: 'harbor',
        name: file.name ?? task.id,
        schemaVersion: file.schemaVersion,
        ...(file.unknown.length === 0 ? {} : { unknown: file.unknown }),
        digest,
        task: file.document,
      },
    },
  }
}
