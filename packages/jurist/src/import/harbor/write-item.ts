import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copyOf } from '@jurist/workspace'
import { usualWorkdir } from '@jurist/workspace/internal'
import type { HarborTask } from './read-tasks.js'

/** What a task runs on. */
export interface Machine {
  /** Where the workspace is. */
  readonly workdir: string
  readonly hostTools: boolean
  /** Of its containers. */
  readonly image: string | undefined
  /** Makes the files that an agent begins with. Returns notes. */
  readonly fill: (before: string, task: string) => Promise<readonly string[]>
}

/** Writes the directory of an item: its task, the files before, and the task of Harbor as it is. Returns notes. */
export async function writeItem(directory: string, task: HarborTask, machine: Machine): Promise<readonly string[]> {
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
