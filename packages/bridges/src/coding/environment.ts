import type { AgentTask } from '@jurist/core'
import { allowedVariables } from '@jurist/core/internal'
import type { AgentEnvironment } from './coding-options.js'

/** Variables by name. */
export interface Variables {
  readonly [name: string]: string
}

/** The variable that every process of a run inherits; by it those are found that left the process group. */
export const markerName = 'JURIST_RUN'

/** What any program needs of its host. */
const base = ['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TERM']

/** What the environment of one call is made of. */
export interface EnvironmentParts {
  readonly given: AgentEnvironment
  readonly task: Pick<AgentTask, 'env'>
  /** What keeps the agent quiet, and the places of its settings. */
  readonly quiet: Variables
  /** Its home; absent: that of the host. */
  readonly home?: string | undefined
}

/** The whole environment of a process that is started here. Nothing else of the host is in it. */
export function processEnvironment(parts: EnvironmentParts, marker: string): Variables {
  const home = parts.home ?? process.env['HOME']
  const own = { ...allowedVariables(base, process.env), ...(home === undefined ? {} : { HOME: home }) }
  return { ...own, ...addedVariables(parts), [markerName]: marker }
}

/** What is added to the environment of a command of a workspace, which has base variables and a marker of its own. */
export function addedVariables({ given, task, quiet, home }: EnvironmentParts): Variables {
  const { allow = [], set = {} } = given
  const quieter = { CI: 'true', NO_COLOR: '1', ...quiet, ...(home === undefined ? {} : { HOME: home }) }
  return { ...allowedVariables(allow, process.env), ...quieter, ...set, ...task.env }
}

/** An empty directory for one call. */
export interface ScratchDirectory extends AsyncDisposable {
  readonly path: string
  /** Deletes it; never rejects, but tells whether it is gone. */
  remove(): Promise<boolean>
}

/**
 * Makes an empty directory below `${XDG_CACHE_HOME:-~/.cache}/jurist`: outside of any workspace, and outside of `/tmp`,
 * from where some agents cannot start their sandboxes. Disposal deletes it.
 *
 * @param kind what it is for, such as `home`
 */
export async function scratchDirectory(kind: string): Promise<ScratchDirectory> {
  const { mkdir, mkdtemp } = await import('node:fs/promises')
  const { homedir } = await import('node:os')
  const { join } = await import('node:path')
  const given = process.env['XDG_CACHE_HOME'] ?? ''
  const parent = join(given === '' ? join(homedir(), '.cache') : given, 'jurist', 'scratch')
  await mkdir(parent, { recursive: true, mode: 0o700 })
  const path = await mkdtemp(join(parent, `${kind}-`))
  const remove = () => removeTree(path)
  return { path, remove, [Symbol.asyncDispose]: async () => void (await remove()) }
}

/** Agents leave directories that nobody may write to, such as the caches of modules. */
async function removeTree(path: string): Promise<boolean> {
  const { rm } = await import('node:fs/promises')
  const removed = () =>
    rm(path, { recursive: true, force: true, maxRetries: 3 }).then(
      () => true,
      () => false,
    )
  if (await removed()) return true
  await openDirectories(path)
  return removed()
}

/** Makes every directory of a tree writable, as far as that may be done. Links are not followed. */
async function openDirectories(path: string): Promise<void> {
  const { chmod, readdir } = await import('node:fs/promises')
  try {
    await chmod(path, 0o700)
    const entries = await readdir(path, { withFileTypes: true })
    for (const entry of entries) if (entry.isDirectory()) await openDirectories(`${path}/${entry.name}`)
  } catch {
    // Another user's, or gone meanwhile; the removal will tell.
  }
}

/** The home directory of one call. */
export interface AgentHome extends AsyncDisposable {
  /** Absent: that of the host. */
  readonly path?: string
  /** Deletes a scratch home; never rejects, but tells whether nothing is left of it. */
  remove(): Promise<boolean>
}

const kept = { remove: async (): Promise<boolean> => true, [Symbol.asyncDispose]: async (): Promise<void> => {} }

/** Opens the home of one call; a scratch home is empty, and gone afterwards. */
export async function openHome(home: AgentEnvironment['home'] = 'scratch'): Promise<AgentHome> {
  switch (home) {
    case 'host':
      return kept
    case 'scratch':
      return scratchDirectory('home')
    default:
      return { ...kept, path: home }
  }
}
