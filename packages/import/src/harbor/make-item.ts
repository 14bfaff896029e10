import { readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { failureOf, printed } from '@jurist/core/internal'
import { copyOf } from '@jurist/workspace'
import { usualWorkdir } from '@jurist/workspace/internal'
import { jsonFile, kept, writeFiles } from '../write-project.js'
import { type ContainerProgram, copyFromImage, taskImage, workspacePlace } from './container-image.js'
import type { HarborTask } from './read-tasks.js'

export interface Making {
  readonly container: ContainerProgram
  readonly signal: AbortSignal
}

export interface TaskMachine {
  /** The path of the workspace. */
  readonly workdir: string
  /** The image of its containers. If it is `undefined`, the task cannot run and its item is disabled. */
  readonly image: string | undefined
}

export async function makeItem(
  directory: string,
  task: HarborTask,
  making: Making,
): Promise<{ readonly machine: TaskMachine; readonly notes: readonly string[] }> {
  const { file } = task
  const made = await machineOf(task, making)
  await writeItem(directory, task, made.machine, making)
  const history = await gitDirectory(join(directory, 'before'))
  const unknown = file.unknown.map((key) => `${key} is not a key of Harbor's schema; it is kept in the item's source`)
  return { machine: made.machine, notes: [...unknown, ...file.notes, ...made.notes, ...history] }
}

/** Workspaces are copied without their history. */
async function gitDirectory(before: string): Promise<readonly string[]> {
  const entries = await readdir(before, { recursive: true, withFileTypes: true }).catch(() => [])
  const found = entries.find(({ name }) => name === '.git')
  if (found === undefined) return []
  const path = relative(before, join(found.parentPath, found.name))
  return [`${path} is left out of the workspaces: agents and verifiers see no history of git`]
}

async function machineOf({ file, ...task }: HarborTask, { container, signal }: Making) {
  const notes: string[] = []
  const without = (problem: string) => {
    const workdir = workspacePlace(file.workdir ?? '', notes)
    return { machine: { workdir, image: undefined }, notes: [...notes, problem] }
  }
  if (file.os !== 'linux')
    return without(`the item is disabled: environment.os is ${printed(file.os)}, and only Linux is supported`)
  try {
    const { image, workdir } = await taskImage(container, { file, ...task }, signal)
    return { machine: { workdir: workspacePlace(file.workdir ?? workdir, notes), image }, notes }
  } catch (thrown) {
    signal.throwIfAborted()
    return without(`there is no image, so the item is disabled: ${failureOf(thrown).message}`)
  }
}

/** The sandbox of agents allows only what every task allows. */
export function sandboxOfAgents(
  machines: readonly TaskMachine[],
  tasks: readonly HarborTask[],
  container: ContainerProgram,
): object | string {
  const ready = machines.find(({ image }) => image !== undefined)
  if (ready === undefined) return 'none'
  const network = tasks.every(({ file }) => file.network) ? { network: 'bridge' } : {}
  return { docker: { image: ready.image, cli: container, workspaceAt: ready.workdir, asImage: true, ...network } }
}

/** Writes the directory of an item: its task, its initial files, and the unchanged task of Harbor. */
async function writeItem(
  directory: string,
  task: HarborTask,
  machine: TaskMachine,
  { container, signal }: Making,
): Promise<void> {
  await writeFiles(directory, { 'task.md': task.instruction })
  await kept(copyOf(task.directory, { to: join(directory, 'harbor'), ignore: ['/.git/'] }))
  const before = join(directory, 'before')
  const { image, workdir } = machine
  if (image !== undefined) await copyFromImage(container, { image, from: workdir, to: before }, signal)
  const isEmpty = (await stat(before).catch(() => undefined)) === undefined
  await writeFiles(directory, { 'item.json': jsonFile(itemOf(task, machine, isEmpty)) })
}

function itemOf(task: HarborTask, { workdir, image }: TaskMachine, isEmpty: boolean): object {
  const { file, digest } = task
  const { agentTimeoutMs, verifierTimeoutMs, network, verifierEnv, memoryBytes, cpus, keywords } = file
  return {
    timeoutMs: agentTimeoutMs,
    image,
    tags: [...new Set(keywords.map((keyword) => keyword.trim()).filter((keyword) => keyword !== ''))],
    judges: {
      verifier: {
        type: 'harbor-verifier',
        task: 'harbor',
        workdir: workdir === usualWorkdir ? undefined : workdir,
        timeoutMs: verifierTimeoutMs,
        env: Object.keys(verifierEnv).length === 0 ? undefined : verifierEnv,
        network: network || undefined,
        ...{ memoryBytes, cpus },
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
