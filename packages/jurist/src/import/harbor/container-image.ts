import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { failureOf } from '@jurist/core/internal'
import { copyOf } from '@jurist/workspace'
import { type DockerPlan, dockerPlan, usualWorkdir } from '@jurist/workspace/internal'
import type { HarborTask } from './read-tasks.js'

/** Whether a directory such as `/app` can be the workspace of a sandbox. */
function isWorkdir(place: string): boolean {
  return (
    /^(?:\/[\w.@-]+)+$/.test(place) &&
    !/\/\.{1,2}(?:\/|$)/.test(place) &&
    !/^\/(?:usr|bin|sbin|lib\w*|etc|proc|dev|sys|run|tests|logs|solution)(?:\/|$)/.test(place)
  )
}

/** The plan of a task's Dockerfile; without one, that of an empty file. The workspace is where it can be. */
export async function planOf({
  directory,
  file,
}: HarborTask): Promise<DockerPlan & { readonly notes: readonly string[] }> {
  const text = await readFile(join(directory, 'environment', 'Dockerfile'), 'utf8').catch(() => '')
  const plan = dockerPlan(text, file.workdir)
  if (isWorkdir(plan.workdir)) return { ...plan, notes: [] }
  const note = `the working directory ${plan.workdir} cannot be a workspace; it is at ${usualWorkdir} instead`
  return { ...dockerPlan(text, usualWorkdir), notes: [note] }
}

/** Does what the COPY lines of a Dockerfile do. Returns what could not be copied. */
export async function copyContext(context: string, before: string, plan: DockerPlan): Promise<readonly string[]> {
  const notes: string[] = []
  if (plan.copies.length > 0 && (await stat(join(context, '.dockerignore')).catch(() => undefined)) !== undefined)
    notes.push('environment/.dockerignore is not followed: COPY takes every file')
  for (const path of plan.directories) await mkdir(join(before, path), { recursive: true })
  for (const { from, to } of plan.copies) {
    const source = await realpath(join(context, from)).catch(() => undefined)
    if (source === undefined) {
      notes.push(`COPY: environment/${from} does not exist`)
      continue
    }
    if (relative(await realpath(context), source).split('/')[0] === '..') {
      notes.push(`COPY: environment/${from} leads out of environment/ through a link, and is not copied`)
      continue
    }
    const isDirectory = (await stat(source)).isDirectory()
    const target = isDirectory || !to.endsWith('/') ? join(before, to) : join(before, to, basename(from))
    await cp(source, target, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  }
  return notes
}

/** A program that runs containers. */
export type ContainerProgram = 'docker' | 'podman'

/** The image of a task. */
interface TaskImage {
  readonly image: string
  /** Where its programs work, if that can be a workspace. */
  readonly workdir: string | undefined
}

const run = promisify(execFile)
const maxOutput = 16 * 1024 * 1024
const usualBuildMs = 600_000

/**
 * The image of a task: the one that it names, downloaded if it is not there, else one that is built of its Dockerfile.
 *
 * @throws an error that says why it cannot be had
 */
export async function taskImage(
  program: ContainerProgram,
  { id, directory, file, digest }: HarborTask,
  signal: AbortSignal,
): Promise<TaskImage> {
  const environment = join(directory, 'environment')
  for (const name of ['docker-compose.yaml', 'docker-compose.yml'])
    if (await isThere(join(environment, name)))
      throw new Error(`environment/${name} needs several containers, which is not supported`)
  const call = caller(program, signal)
  const image = file.image ?? `jurist-harbor/${tag(id)}:${digest.slice(0, 12)}`
  const isKnown = await call(['image', 'inspect', image]).then(
    () => true,
    () => false,
  )
  if (!isKnown && file.image !== undefined) await call(['pull', '--quiet', '--', image])
  else if (!isKnown) await call(['build', '--quiet', '--tag', image, environment], file.buildTimeoutMs ?? usualBuildMs)
  const said = await call(['image', 'inspect', '--format', '{{.Config.WorkingDir}}', image])
  const workdir = said.trim()
  return { image, workdir: isWorkdir(workdir) ? workdir : undefined }
}

/** Copies a directory of an image, which may not have it. Returns whether links were left out. */
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
    // Links that lead out of the workspace mean something in the image alone.
    const copy = await copyOf(raw, { to, ignore: [], misfits: 'leave-out', signal })
    copy.keep()
    await copy[Symbol.asyncDispose]()
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

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
