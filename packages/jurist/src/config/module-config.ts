import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { configInvalid } from './problems.js'

const moduleCache = createRequire(import.meta.url).cache

/** The settings for loading the modules of a config. */
export interface Loading {
  /**
   * A directory for compiled modules, so that the next process need not compile them again. Anyone who can write to it
   * can change the config. Default: in the directory of this package, where they could change the command as well.
   */
  readonly compiledIn?: string
}

/**
 * Returns the default export of a TypeScript or JavaScript module, loaded without a build step. Imports of `jurist` and
 * `@jurist/…` lead to this installation if the project does not have these packages.
 *
 * @throws `config-invalid` with the message of what the module throws, and its place in the project
 */
export async function loadModule(file: string, loading?: Loading): Promise<unknown> {
  try {
    return await Reflect.get(await loadExports(file, loading), 'default')
  } catch (thrown) {
    if (JuristError.is(thrown, 'config-invalid')) throw thrown
    const { message } = failureOf(thrown)
    // A compiler prints the place on its own line, and Node the files that led there. The issue already contains the place.
    const [problemOnly = ''] = message.split('\nRequire stack:')
    const lines = problemOnly.split('\n').filter((line) => !/^\s*(\/|[A-Za-z]:\\).*:\d+:\d+$/.test(line))
    const problem = `could not be loaded: ${lines.join('\n').trim()}`
    throw configInvalid(file, [{ path: placeOf(thrown, file), problem, remedy: '' }], thrown)
  }
}

/** Returns the modules of the project that configs have loaded so far, without installed packages. */
export function loadedModules(): readonly string[] {
  const loaded = Object.keys(moduleCache).filter((file) => !file.includes(`${sep}node_modules${sep}`))
  if (loaded.length === 0) return []
  const entryPoints = ownEntryPoints()
  const manifests = entryPoints.map(({ package: name }) => require.resolve(`${name}/package.json`))
  const own = new Set([...manifests, ...entryPoints.map(({ file }) => file)])
  return loaded.filter((file) => !own.has(file))
}

/** Makes the next config load its modules from disk again. */
export function forgetModules(): void {
  for (const file of loadedModules()) delete moduleCache[file]
}

/**
 * Returns the exports of a TypeScript or JavaScript module. Throws what the module throws.
 *
 * @param module its path, or the name of a package
 * @param file the importing file. Default: the module itself
 */
export async function loadExports(
  module: string,
  { compiledIn = ownCache() }: Loading = {},
  file: string = module,
): Promise<object> {
  // Required instead of imported: for the names of a CommonJS module, Node would first read all of it.
  const { createJiti } = require('jiti') as typeof import('jiti')
  const entryPoints = ownEntryPoints()
  shareOwnModules(entryPoints)
  const alias = Object.fromEntries(missingAround(file, entryPoints).map(({ specifier, file }) => [specifier, file]))
  const load = async (): Promise<object> =>
    Object(await createJiti(file, { alias, fsCache: compiledIn }).import(module))
  try {
    return await load()
  } catch (thrown) {
    if (!isLinkedOnly(thrown)) throw thrown
  }
  // Importing the modules of this installation runs those that are only linked. Some need optional packages and fail.
  await Promise.allSettled(entryPoints.map((own) => import(pathToFileURL(own.file).href)))
  try {
    return await load()
  } catch (thrown) {
    // The same happens with a module of the project. Only Node knows the first failure.
    if (!isLinkedOnly(thrown)) throw thrown
    return Object(await import(pathToFileURL(file).href))
  }
}

const mostKept = 500
const keptMs = 3_600_000

/**
 * Returns the directory for the compiled modules of this installation, and empties it where many projects have filled it. The
 * compiler keeps nothing where it cannot write, as after an installation by an administrator.
 */
function ownCache(): string {
  const directory = join(dirname(require.resolve('jurist/package.json')), 'node_modules', '.cache')
  const names = existsSync(directory) ? readdirSync(directory) : []
  for (const name of names.length > mostKept ? names : []) {
    const file = join(directory, name)
    // Another process may be about to read a newer one.
    const changed = statSync(file, { throwIfNoEntry: false })
    if (changed !== undefined && Date.now() - changed.mtimeMs > keptMs) rmSync(file, { force: true })
  }
  return directory
}

/**
 * Whether jiti required a module that Node has linked but not run: an import beside it failed, in this config or in an
 * earlier one of this process.
 */
function isLinkedOnly(thrown: unknown): boolean {
  return Reflect.get(Object(thrown), 'code') === 'ERR_INTERNAL_ASSERTION'
}

/** Returns the entry points of packages that a project does not have. */
function missingAround(file: string, entryPoints: readonly EntryPoint[]): readonly EntryPoint[] {
  const project = createRequire(file)
  const packages = [...new Set(entryPoints.map(({ package: name }) => name))]
  const missing = new Set(packages.filter((name) => !resolves(project, `${name}/package.json`)))
  return entryPoints.filter(({ package: name }) => missing.has(name))
}

function resolves(project: NodeJS.Require, specifier: string): boolean {
  try {
    project.resolve(specifier)
    return true
  } catch {
    return false
  }
}

const frame = /(?:file:\/\/)?(\/[^\s():]+|[A-Za-z]:[\\/][^\s():]+):(\d+):\d+/g

/** Returns the first place in the stack that belongs to the project: its file and line. */
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

/** An entry point of this installation. */
interface EntryPoint {
  readonly package: string
  readonly specifier: string
  readonly file: string
}

const require = createRequire(import.meta.url)

/**
 * Returns every entry point of `jurist` and of the `@jurist` packages that it depends on, with its file. Longer names
 * come first, so that `jurist` does not hide `jurist/testing`.
 */
function ownEntryPoints(): readonly EntryPoint[] {
  const { name, dependencies } = require('jurist/package.json') as Manifest
  const below = Object.keys(dependencies).filter((dependency) => dependency.startsWith('@jurist/'))
  return [name, ...below].flatMap(entryPointsOf).sort((a, b) => b.specifier.length - a.specifier.length)
}

interface Manifest {
  readonly name: string
  /** Only "./package.json" is a string. */
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  readonly dependencies: Readonly<Record<string, string>>
}

function entryPointsOf(name: string): readonly EntryPoint[] {
  const manifest = `${name}/package.json`
  const { exports } = require(manifest) as Manifest
  const directory = dirname(require.resolve(manifest))
  return Object.entries(exports).flatMap(([entry, target]) =>
    typeof target === 'string'
      ? []
      : [{ package: name, specifier: `${name}${entry.slice(1)}`, file: join(directory, target.default) }],
  )
}

/**
 * Puts the modules of this installation into the cache of the config loader, so that a config and the command share one
 * copy of each: only the copy that created a jury knows its name and its parts. Each is loaded when it is first
 * imported.
 */
function shareOwnModules(entryPoints: readonly EntryPoint[]): void {
  for (const { file } of entryPoints) require.cache[file] ??= loadedOnDemand(file)
}

function loadedOnDemand(file: string): NodeJS.Module {
  return Object.create(null, {
    id: { value: file },
    filename: { value: file },
    loaded: { value: true },
    exports: {
      get(): unknown {
        // The module itself replaces this entry in the cache.
        delete require.cache[file]
        return require(file)
      },
    },
  })
}
