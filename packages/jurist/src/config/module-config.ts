import { createRequire } from 'node:module'
import { dirname, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { configInvalid } from './problems.js'

const moduleCache = createRequire(import.meta.url).cache

/**
 * The default export of a TypeScript or JavaScript module, loaded without a build step. Imports of `jurist` and
 * `@jurist/…` lead to this installation where the project has none of its own.
 *
 * @throws `config-invalid` with the message of what the module throws, and the place in the project where
 */
export async function loadModule(file: string): Promise<unknown> {
  try {
    return await Reflect.get(await loadExports(file), 'default')
  } catch (thrown) {
    if (JuristError.is(thrown, 'config-invalid')) throw thrown
    const { message } = failureOf(thrown)
    // A compiler puts the place on a line of its own; it is told already.
    const lines = message.split('\n').filter((line) => !/^\s*(\/|[A-Za-z]:\\).*:\d+:\d+$/.test(line))
    const problem = `could not be loaded: ${lines.join('\n').trim()}`
    throw configInvalid(file, [{ path: placeOf(thrown, file), problem, remedy: '' }], thrown)
  }
}

/** The files of the project that configs were made of so far: modules, without those of installed packages. */
export function loadedModules(): readonly string[] {
  const own = new Set(Object.values(ownDoors()))
  return Object.keys(moduleCache).filter((file) => !own.has(file) && !file.includes(`${sep}node_modules${sep}`))
}

/** Lets the next config be loaded from what its files hold by then. */
export function forgetModules(): void {
  for (const file of loadedModules()) delete moduleCache[file]
}

/** Everything that a TypeScript or JavaScript module exports. Whatever it throws is thrown as it is. */
export async function loadExports(file: string): Promise<object> {
  const { createJiti } = await import('jiti')
  const doors = ownDoors()
  await shareOwnModules(doors)
  const alias = Object.fromEntries(Object.entries(doors).filter(([specifier]) => !resolves(specifier, file)))
  return Object(await createJiti(file, { alias, fsCache: false }).import(file))
}

function resolves(specifier: string, file: string): boolean {
  try {
    createRequire(file).resolve(specifier)
    return true
  } catch {
    return false
  }
}

const frame = /(?:file:\/\/)?(\/[^\s():]+|[A-Za-z]:[\\/][^\s():]+):(\d+):\d+/g

/** The first place in the stack that belongs to the project: its file and line. */
function placeOf(thrown: unknown, file: string): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : ''
  const root = dirname(file)
  for (const [whole, path = '', line] of stack.matchAll(frame)) {
    const found = whole.startsWith('file:') ? fileURLToPath(`file://${path}`) : path
    const inside = relative(root, found)
    if (!inside.startsWith('..') && !inside.includes('node_modules')) return `${inside}:${line}`
  }
  return ''
}

/** The doors of this installation: for each specifier the file it leads to. */
type Doors = Readonly<Record<string, string>>

const require = createRequire(import.meta.url)

/**
 * Every door of `jurist` and of the `@jurist` packages it stands on, each with its file; longer names first, so that
 * `jurist` does not stand in the way of `jurist/testing`.
 */
function ownDoors(): Doors {
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
async function shareOwnModules(doors: Doors): Promise<void> {
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
