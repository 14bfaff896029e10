import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Workspace } from '@jurist/core'
import { JuristError } from '@jurist/core'
import type { BuildOptions } from './build-options.js'
import type { Site } from './site.js'

/** The script a project brings along so that everybody builds with the same version of a tool. */
export interface Wrapper {
  readonly script: string
  /** Where its parts lie; they decide what the script runs. */
  readonly parts: string
}

/** Whether the wrapper of a site is there, can be run and may be trusted. */
export async function mayUseWrapper(
  site: Site,
  { script, parts }: Wrapper,
  trust: NonNullable<BuildOptions['trustWrapper']>,
): Promise<boolean> {
  const { workspace, originals, cwd } = site
  const [scriptPath, partsPath] = [below(cwd, script), below(cwd, parts)]
  if (trust === false || !(await isRunnable(workspace, scriptPath))) return false
  if (trust === true || (trust === 'unchanged' && originals.length === 0)) return true
  for (const original of trust === 'unchanged' ? originals : originals.slice(0, 1))
    if ((await sameFile(workspace, original, scriptPath)) && (await sameTree(workspace, original, partsPath)))
      return true
  return false
}

/** A path of the workspace from one below a directory of it. */
export function below(directory: string, path: string): string {
  return directory === '.' ? path : `${directory}/${path}`
}

/** A file that can be executed, as far as the workspace tells: one without a directory does not. */
async function isRunnable(workspace: Workspace, path: string): Promise<boolean> {
  if (!(await isFile(workspace, path))) return false
  const stats =
    workspace.root === undefined ? undefined : statSync(join(workspace.root, path), { throwIfNoEntry: false })
  return stats === undefined || (stats.mode & 0o111) !== 0
}

/** Whether a file is there; what leads out of the workspace is none of its files. */
export async function isFile(workspace: Workspace, path: string): Promise<boolean> {
  try {
    return await workspace.isFile(path)
  } catch (thrown) {
    if (JuristError.is(thrown, 'path-escape')) return false
    throw thrown
  }
}

async function sameTree(workspace: Workspace, original: Workspace, directory: string): Promise<boolean> {
  const [paths, wanted] = [await entries(workspace, directory), await entries(original, directory)]
  if (JSON.stringify(paths) !== JSON.stringify(wanted)) return false
  for (const [path, type] of paths)
    if (type !== 'directory' && !(await sameFile(workspace, original, path))) return false
  return true
}

async function entries(workspace: Workspace, directory: string): Promise<readonly (readonly [string, string])[]> {
  const found: (readonly [string, string])[] = []
  for await (const { path, type } of workspace.list({ under: directory })) found.push([path, type])
  return found
}

/** Whether both have the same bytes there. */
export async function sameFile(workspace: Workspace, original: Workspace, path: string): Promise<boolean> {
  if (!(await isFile(workspace, path)) || !(await isFile(original, path))) return false
  const theirs = await original.readBytes(path, { maxBytes: Number.MAX_SAFE_INTEGER })
  try {
    const ours = await workspace.readBytes(path, { maxBytes: theirs.length })
    return Buffer.compare(ours, theirs) === 0
  } catch (thrown) {
    if (JuristError.is(thrown, 'too-large')) return false
    throw thrown
  }
}
