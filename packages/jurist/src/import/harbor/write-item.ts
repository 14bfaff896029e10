import { cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { copyOf } from '@jurist/workspace'
import { type DockerPlan, dockerPlan, usualWorkdir } from '@jurist/workspace/internal'
import type { HarborTask } from './read-tasks.js'

/** Where verifiers of a project run. */
export interface Machine {
  readonly hostTools: boolean
}

/** The plan of a task's Dockerfile; without one, that of an empty file. */
export async function planOf({ directory, file }: HarborTask): Promise<DockerPlan> {
  const text = await readFile(join(directory, 'environment', 'Dockerfile'), 'utf8').catch(() => '')
  return dockerPlan(text, file.workdir)
}

/** Whether `/app` or another place can be the workspace of a sandbox. */
export function workdirProblem(workdir: string): string | undefined {
  const isFree =
    /^(?:\/[\w.@-]+)+$/.test(workdir) && !/^\/(?:usr|bin|sbin|lib\w*|etc|proc|dev|sys|run)(?:\/|$)/.test(workdir)
  return isFree ? undefined : `the working directory ${workdir} cannot be a workspace; ${usualWorkdir} can`
}

/** Writes the directory of an item: its task, the files before, and the task of Harbor as it is. Returns notes. */
export async function writeItem(
  directory: string,
  task: HarborTask,
  plan: DockerPlan,
  machine: Machine,
): Promise<readonly string[]> {
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'task.md'), task.instruction)
  const kept = await copyOf(task.directory, { to: join(directory, 'harbor') })
  kept.keep()
  await kept[Symbol.asyncDispose]()
  const before = join(directory, 'before')
  const notes = await copyContext(join(directory, 'harbor', 'environment'), before, plan)
  const isEmpty = (await stat(before).catch(() => undefined)) === undefined
  await writeFile(join(directory, 'item.json'), `${JSON.stringify(itemOf(task, plan, machine, isEmpty), null, 2)}\n`)
  return notes
}

/** What `item.json` says. */
function itemOf(task: HarborTask, { workdir }: DockerPlan, { hostTools }: Machine, isEmpty: boolean): object {
  const { file, digest } = task
  const { agentTimeoutMs, verifierTimeoutMs, network, verifierEnv, memoryBytes, cpus, keywords } = file
  return {
    ...(agentTimeoutMs === undefined ? {} : { timeoutMs: agentTimeoutMs }),
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

/** Does what the COPY lines of a Dockerfile do. Returns what could not be copied. */
async function copyContext(context: string, before: string, plan: DockerPlan): Promise<readonly string[]> {
  const notes: string[] = []
  for (const path of plan.directories) await mkdir(join(before, path), { recursive: true })
  for (const { from, to } of plan.copies) {
    const source = join(context, from)
    const found = await stat(source).catch(() => undefined)
    if (found === undefined) {
      notes.push(`COPY: environment/${from} does not exist`)
      continue
    }
    const target = found.isDirectory() || !to.endsWith('/') ? join(before, to) : join(before, to, basename(from))
    await cp(source, target, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
    // The build itself is no part of the workspace.
    if (found.isDirectory() && (from === '.' || from === './'))
      for (const name of ['Dockerfile', '.dockerignore', 'docker-compose.yaml', 'docker-compose.yml'])
        await rm(join(target, name), { force: true })
  }
  return notes
}
