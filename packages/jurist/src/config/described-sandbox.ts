import { resolve } from 'node:path'
import { failureOf, isPlainObject, option, type Place } from '@jurist/core/internal'
import type { Provision } from '@jurist/experiment'
import type { DockerOptions, Sandbox } from '@jurist/workspace'
import type { Reading } from './reading.js'

/**
 * Copies of what an item begins with, whose commands run in the sandbox that a word names, or `{bubblewrap: {…}}` and
 * `{docker: {…}}` with options. Paths of these are relative to the config.
 */
export async function provisionIn(given: unknown, place: Place, reading: Reading): Promise<Provision | undefined> {
  const { copyWorkspaces } = await import('@jurist/experiment')
  try {
    return copyWorkspaces({ sandbox: await sandboxOf(given, reading.directory) })
  } catch (thrown) {
    reading.report(place, failureOf(thrown).message, 'Leave it out for no isolation.')
    return undefined
  }
}

async function sandboxOf(given: unknown, directory: string): Promise<'none' | 'auto' | 'bubblewrap' | Sandbox> {
  const { bubblewrapSandbox, dockerSandbox, namedSandbox } = await import('@jurist/workspace')
  if (!isPlainObject(given)) return namedSandbox(given as string)
  const [[name, options] = ['', undefined], ...others] = Object.entries(given)
  if (others.length > 0 || !isPlainObject(options)) return namedSandbox(JSON.stringify(given))
  if (name === 'bubblewrap') return bubblewrapSandbox(withPaths(options, directory))
  if (name === 'docker') return dockerSandbox(withPaths(options, directory) as unknown as DockerOptions)
  return namedSandbox(name)
}

function withPaths(options: Readonly<Record<string, unknown>>, directory: string): Readonly<Record<string, unknown>> {
  const resolved = ['readable', 'writable'].flatMap((name) => {
    const paths = options[name]
    return option.strings.holds(paths) ? [[name, (paths as string[]).map((path) => resolve(directory, path))]] : []
  })
  return { ...options, ...Object.fromEntries(resolved) }
}
