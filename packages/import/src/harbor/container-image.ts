import { execFile } from 'node:child_process'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { failureOf } from '@jurist/core/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import { copyOf } from '@jurist/workspace'
import { usualWorkdir } from '@jurist/workspace/internal'
import { kept } from '../write-project.js'
import type { HarborTask } from './read-tasks.js'

export type ContainerProgram = 'docker' | 'podman'

const run = promisify(execFile)
const maxOutput = 16 * 1024 * 1024
const usualBuildMs = 600_000
const usualAnswerMs = 30_000

/**
 * Returns a container program that works on this machine.
 *
 * @throws `usage-invalid` with the reasons if none exists
 */
export async function containerProgram(signal: AbortSignal): Promise<ContainerProgram> {
  const problems: string[] = []
  for (const program of ['docker', 'podman'] as const)
    try {
      await caller(program, signal)(['info'], usualAnswerMs)
      return program
    } catch (thrown) {
      signal.throwIfAborted()
      problems.push(failureOf(thrown).message)
    }
  throw usageInvalid(
    '--container',
    `The verifiers of Harbor tasks run in containers: install docker or podman, and start it. ${problems.join('; ')}.`,
  )
}

/**
 * Returns the image of a task and the working directory of its programs. The image is the one that the task names,
 * downloaded if necessary, or one that is built from its Dockerfile.
 *
 * @throws an error with the reason if there is no image
 */
export async function taskImage(
  program: ContainerProgram,
  { id, directory, file, digest }: HarborTask,
  signal: AbortSignal,
): Promise<{ readonly image: string; readonly workdir: string }> {
  const environment = join(directory, 'environment')
  for (const name of ['docker-compose.yaml', 'docker-compose.yml'])
    if ((await stat(join(environment, name)).catch(() => undefined)) !== undefined)
      throw new Error(`environment/${name} needs several containers, which is not supported`)
  const call = caller(program, signal)
  const image = file.image ?? `jurist-harbor/${tag(id)}:${digest.slice(0, 12)}`
  const isKnown = await call(['image', 'inspect', image]).then(
    () => true,
    () => false,
  )
  if (!isKnown && file.image !== undefined) await call(['pull', '--quiet', '--', image])
  else if (!isKnown) await call(['build', '--quiet', '--tag', image, environment], file.buildTimeoutMs ?? usualBuildMs)
  const workdir = await call(['image', 'inspect', '--format', '{{.Config.WorkingDir}}', image])
  return { image, workdir: workdir.trim() }
}

/**
 * Returns the place of the workspace in the containers of a task: its `workdir`, or the usual place and a note with the
 * reason.
 */
export function workspacePlace(workdir: string, notes: string[]): string {
  if (isWorkdir(workdir)) return workdir
  if (workdir !== '' && workdir !== '/')
    notes.push(`the working directory ${workdir} cannot be a workspace; it is at ${usualWorkdir} instead`)
  return usualWorkdir
}

/** Whether a directory such as `/app` can be the workspace of a sandbox. */
function isWorkdir(place: string): boolean {
  return (
    /^(?:\/[\w.@-]+)+$/.test(place) &&
    !/\/\.{1,2}(?:\/|$)/.test(place) &&
    !/^\/(?:usr|bin|sbin|lib\w*|etc|proc|dev|sys|run|tests|logs|solution)(?:\/|$)/.test(place)
  )
}

/** Copies a directory from an image. A missing directory is ignored. */
export async function copyFromImage(
  program: ContainerProgram,
  { image, from, to }: { readonly image: string; readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<void> {
  const call = caller(program, signal)
  const id = (await call(['create', '--pull', 'never', '--network', 'none', image, 'true'])).trim()
  const raw = `${to}.image`
  try {
    await mkdir(raw, { recursive: true })
    const isCopied = await call(['cp', `${id}:${from}/.`, raw]).then(
      () => true,
      (thrown: unknown) => {
        if (/could not find|no such file|not exist/i.test(failureOf(thrown).message)) return false
        throw thrown
      },
    )
    if (!isCopied || (await readdir(raw)).length === 0) return
    // Links that lead out of the workspace make sense only in the image.
    await kept(copyOf(raw, { to, ignore: [], misfits: 'leave-out', signal }))
  } finally {
    await rm(raw, { recursive: true, force: true })
    await call(['rm', '--force', id]).catch(() => undefined)
  }
}

function caller(program: ContainerProgram, signal: AbortSignal) {
  return async function call(words: readonly string[], timeout = usualBuildMs): Promise<string> {
    try {
      const { stdout } = await run(program, [...words], { signal, timeout, maxBuffer: maxOutput })
      return stdout
    } catch (thrown) {
      signal.throwIfAborted()
      const { stderr } = thrown as { readonly stderr?: string }
      const last = stderr?.trim().split('\n').at(-1) ?? ''
      throw new Error(`${program} ${words[0]} failed: ${last === '' ? failureOf(thrown).message : last}`)
    }
  }
}

function tag(id: string): string {
  return (
    id
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'task'
  )
}
