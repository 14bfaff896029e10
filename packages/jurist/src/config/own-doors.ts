import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** The doors of this installation: for each specifier the file it leads to. */
export type Doors = Readonly<Record<string, string>>

const require = createRequire(import.meta.url)

/**
 * Every door of `jurist` and of the `@jurist` packages it stands on, each with its file; longer names first, so that
 * `jurist` does not stand in the way of `jurist/testing`.
 */
export function ownDoors(): Doors {
  const { name, dependencies, exports } = require('jurist/package.json') as Manifest
  const below = Object.keys(dependencies).filter((dependency) => dependency.startsWith('@jurist/'))
  const specifiers = [
    ...doorsOf(name, exports),
    ...below.flatMap((one) => doorsOf(one, (require(`${one}/package.json`) as Manifest).exports)),
  ]
  const longestFirst = specifiers.sort((a, b) => b.length - a.length)
  return Object.fromEntries(longestFirst.map((one) => [one, fileURLToPath(import.meta.resolve(one))]))
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies: Readonly<Record<string, string>>
}

function doorsOf(name: string, exports: Manifest['exports']): readonly string[] {
  return Object.keys(exports).flatMap((door) => (door === './package.json' ? [] : [`${name}${door.slice(1)}`]))
}

/**
 * Puts the modules of this installation where the loader of configs looks first, so that a config and the command share
 * one copy of each: names and outlines of juries are known only to the copy that made them. Doors for tests are left to
 * be loaded by whoever wants them.
 */
export async function shareOwnModules(doors: Doors): Promise<void> {
  await Promise.all(Object.entries(doors).map(([specifier, file]) => share(specifier, file)))
}

async function share(specifier: string, file: string): Promise<void> {
  if (specifier.endsWith('/testing') || require.cache[file] !== undefined) return
  try {
    const exports: unknown = await import(specifier)
    require.cache[file] = Object.assign(Object.create(null), { id: file, filename: file, loaded: true, exports })
  } catch {
    // A door that cannot be loaded matters only to a config that imports it, and there it is told.
  }
}
