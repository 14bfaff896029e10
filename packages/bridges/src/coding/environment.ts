import type { AgentTask } from '@jurist/core'
import { allowedVariables } from '@jurist/kit/environment'
import type { AgentEnvironment } from './coding-options.js'

export interface Variables {
  readonly [name: string]: string
}

const base = ['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TERM']

/** Later sources override earlier ones. */
export interface EnvironmentParts {
  readonly given: AgentEnvironment
  readonly task: Pick<AgentTask, 'env'>
  /** Variables that keep the agent quiet and locate its settings. */
  readonly quiet: Variables
  /** The agent's home directory. Absent: the home of the host. */
  readonly home?: string | undefined
}

/** The process gets no other variable of the host. */
export function processEnvironment(parts: EnvironmentParts): Variables {
  const home = parts.home ?? process.env['HOME']
  const own = { ...allowedVariables(base, process.env), ...(home === undefined ? {} : { HOME: home }) }
  return { ...own, ...addedVariables(parts) }
}

/** A workspace command already has base variables and a marker. */
export function addedVariables({ given, task, quiet, home }: EnvironmentParts): Variables {
  const { allow = [], set = {} } = given
  const quieter = { CI: 'true', NO_COLOR: '1', ...quiet, ...(home === undefined ? {} : { HOME: home }) }
  return { ...allowedVariables(allow, process.env), ...quieter, ...set, ...task.env }
}

export interface ScratchDirectory extends AsyncDisposable {
  readonly path: string
  /** Deletes the directory and returns whether it is gone. Never rejects. */
  remove(): Promise<boolean>
}

/**
 * Below `${XDG_CACHE_HOME:-~/.cache}/jurist`: outside any workspace, and outside `/tmp`, where some agents cannot start
 * their sandboxes. Disposing deletes it.
 *
 * @param kind the purpose, such as `home`
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

/** Agents leave read-only directories behind, such as module caches. */
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

/** Does not follow symbolic links. */
async function openDirectories(path: string): Promise<void> {
  const { chmod, readdir } = await import('node:fs/promises')
  try {
    await chmod(path, 0o700)
    const entries = await readdir(path, { withFileTypes: true })
    for (const entry of entries) if (entry.isDirectory()) await openDirectories(`${path}/${entry.name}`)
  } catch {
    // The directory belongs to another user or no longer exists; the deletion will show which.
  }
}

export interface AgentHome extends AsyncDisposable {
  /** Absent: the home of the host. */
  readonly path?: string
  /** Deletes a scratch home and returns whether it is gone. Never rejects. */
  remove(): Promise<boolean>
}

const kept = { remove: async (): Promise<boolean> => true, [Symbol.asyncDispose]: async (): Promise<void> => {} }

/** A scratch home is empty at first and deleted afterwards. */
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
