import type { AgentEnvironment } from './coding-options.js'

/** The home directory of one call. */
export interface AgentHome extends AsyncDisposable {
  /** Absent: that of the host. */
  readonly path?: string
}

const kept = async (): Promise<void> => {}

/**
 * Opens the home of one call. A scratch home lies in the user's cache directory, or in `/var/tmp`: not under `/tmp`, from
 * where some agents cannot start their own sandboxes.
 */
export async function openHome(home: AgentEnvironment['home'] = 'scratch'): Promise<AgentHome> {
  if (home === 'host') return { [Symbol.asyncDispose]: kept }
  if (home !== 'scratch') return { path: home, [Symbol.asyncDispose]: kept }
  const { rm } = await import('node:fs/promises')
  const path = await scratchDirectory()
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }),
  }
}

async function scratchDirectory(): Promise<string> {
  const { mkdir, mkdtemp } = await import('node:fs/promises')
  const { homedir } = await import('node:os')
  const { join } = await import('node:path')
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  try {
    const homes = join(cache, 'jurist', 'homes')
    await mkdir(homes, { recursive: true })
    return await mkdtemp(join(homes, 'home-'))
  } catch {
    // A user without a home that can be written, such as that of a service.
    return mkdtemp('/var/tmp/jurist-home-')
  }
}
