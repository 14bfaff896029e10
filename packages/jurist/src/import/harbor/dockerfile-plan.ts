import { cp, mkdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { type DockerPlan, dockerPlan, usualWorkdir } from '@jurist/workspace/internal'
import type { HarborTask } from './read-tasks.js'

/** Whether a directory such as `/app` can be the workspace of a sandbox. */
export function isWorkdir(place: string): boolean {
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
