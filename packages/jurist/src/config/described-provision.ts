import { resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import { failureOf, isPlainObject, option } from '@jurist/core/internal'
import type { Provision, WorkspaceSetup } from '@jurist/experiment'
import type { DockerOptions, Sandbox } from '@jurist/workspace'
import type { Place } from './problems.js'
import type { Reading } from './reading.js'

/** The description of an experiment's workspaces. */
interface DescribedProvision {
  /** A name, or `{bubblewrap: {…}}` `{docker: {…}}` or `{podman: {…}}` with options. */
  readonly sandbox?: unknown
  readonly setup?: unknown
}

/**
 * Provides copies whose commands run in a sandbox, with the installations of a setup. Paths are relative to the config.
 */
export async function provisionIn(
  { sandbox = 'none', setup }: DescribedProvision,
  place: Place,
  reading: Reading,
): Promise<Provision | undefined> {
  const { copyWorkspaces } = await import('@jurist/experiment')
  const { directory } = reading
  try {
    return copyWorkspaces({
      sandbox: await sandboxOf(sandbox, directory),
      ...(setup === undefined ? {} : { setup: withCache(setup, directory) }),
    })
  } catch (thrown) {
    const isSetup = JuristError.is(thrown, 'option-invalid') && setup !== undefined
    const remedy = isSetup
      ? 'Write {command: npm ci, inputs: [package-lock.json], keeps: [node_modules]}.'
      : 'Correct it, or remove it for no isolation.'
    reading.report([...place, isSetup ? 'setup' : 'sandbox'], failureOf(thrown).message, remedy)
    return undefined
  }
}

/** Adds a cache next to the config to the setup. Invalid values are left for its own check. */
function withCache(setup: unknown, directory: string): WorkspaceSetup | readonly WorkspaceSetup[] {
  if (Array.isArray(setup)) return setup.flatMap((one) => withCache(one, directory))
  if (!isPlainObject(setup)) return setup as WorkspaceSetup
  const { cacheDirectory = '.jurist/setups' } = setup
  const place = typeof cacheDirectory === 'string' ? resolve(directory, cacheDirectory) : cacheDirectory
  return { ...setup, cacheDirectory: place } as unknown as WorkspaceSetup
}

async function sandboxOf(given: unknown, directory: string): Promise<'none' | 'auto' | 'bubblewrap' | Sandbox> {
  const [{ bubblewrapSandbox, dockerSandbox }, { namedSandbox }] = await Promise.all([
    import('@jurist/workspace'),
    import('@jurist/workspace/internal'),
  ])
  if (!isPlainObject(given)) return namedSandbox(given as string)
  const [[name, options] = ['', undefined], ...others] = Object.entries(given)
  if (others.length > 0 || !isPlainObject(options)) return namedSandbox(JSON.stringify(given))
  if (name === 'bubblewrap') return bubblewrapSandbox(withPaths(options, directory))
  if (name === 'docker' || name === 'podman')
    return dockerSandbox({ cli: name, ...withPaths(options, directory) } as unknown as DockerOptions)
  return namedSandbox(name)
}

function withPaths(options: Readonly<Record<string, unknown>>, directory: string): Readonly<Record<string, unknown>> {
  const resolved = ['readable', 'writable'].flatMap((name) => {
    const paths = options[name]
    return option.strings.holds(paths) ? [[name, (paths as string[]).map((path) => resolve(directory, path))]] : []
  })
  return { ...options, ...Object.fromEntries(resolved) }
}
