import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { mkdir, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { JuristError } from '@jurist/core'
import { checkoutOf, copyOf } from '@jurist/workspace'
import { readingGit } from '@jurist/workspace/internal'
import { findConfig, type LoadedConfig, loadConfig } from '../../config/load-config.js'
import { loadedModules } from '../../config/module-config.js'
import { compiledDirectory, hooksDirectory, type Pin, shortName } from './hook-session.js'

const specifiers = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"](\.{1,2}\/[^'"\n]+)['"]/g
/** What a config that is not a program names its modules by. */
const modules = /\bmodule['"]?\s*:\s*['"]?([^\s'",{}]+)/g
/** The plug-ins that a config names: an array, or the lines of a list. */
const plugins = /\bplugins['"]?\s*:\s*(\[[^\]]*\]|(?:\s*\n\s*-[^\n]*)+)/g
/** What a specifier may name: a file, a module without its ending, a source of a JavaScript file, a directory. */
const endings = ['', '.ts', '.mts', '.js', '.mjs', '.cjs', '.json', '/index.ts', '/index.js']
const maxFiles = 2_000

/**
 * A config or a module, and the files that it imports by relative paths, read from their text. Node does not tell which modules
 * it loaded itself.
 */
export function moduleFiles(file: string): readonly string[] {
  const found = new Set([file])
  for (const path of found) {
    if (found.size > maxFiles) break
    const text = textOf(path) ?? ''
    const named = [...text.matchAll(/\.(?:ya?ml|json)$/.test(path) ? modules : specifiers)]
    const plugged = [...text.matchAll(plugins)].flatMap(([, list = '']) => [
      ...list.matchAll(/(\.{1,2}\/[^\s'",\]]+)/g),
    ])
    for (const [, specifier = ''] of [...named, ...plugged]) {
      const target = fileNamed(resolve(dirname(path), specifier))
      if (target !== undefined) found.add(target)
    }
  }
  return [...found]
}

function fileNamed(path: string): string | undefined {
  const source = path.replace(/js$/, 'ts')
  return [...endings.map((ending) => `${path}${ending}`), source].find(
    (one) => statSync(one, { throwIfNoEntry: false })?.isFile() === true,
  )
}

/** The text of a file; `undefined` for one that cannot be read. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const timeoutMs = 60_000
/** What is not copied of a project without a commit. */
const notCopied = ['.git/', 'node_modules/', 'results/', '.venv/', 'target/']

/** Where a session began. */
interface PinRequest {
  /** The directory of the session. */
  readonly cwd: string
  /** The config that the command line names. Default: the nearest upwards. */
  readonly config: string | undefined
  /** The name of the session, whose copy is its own. */
  readonly session: string
  readonly isLate: boolean
}

/**
 * Copies the config that judges a session, with all other files of its project, to where the agent does not work: as the
 * commit of `HEAD` has them, or as they are now if that commit does not have the config. A config outside the project is
 * used where it is.
 *
 * @returns `null` where there is no config
 * @throws `git-failed`, `provision-failed`, `limit-exceeded`, `usage-invalid` for a config that is named and missing
 */
export async function pinConfig({ cwd, config, session, isLate }: PinRequest): Promise<Pin | null> {
  const found = await findConfig(cwd, config)
  if (found === undefined) return null
  const [original, start] = [realpathSync(found), realpathSync(cwd)]
  const known = { original, pinnedAt: new Date().toISOString(), isLate }
  const repository = await repositoryOf(start)
  const top = (await repositoryOf(dirname(original))) ?? dirname(original)
  // A config that is named may be anywhere. One that was found is at the root of the project.
  const project = config === undefined ? dirname(original) : (repository ?? start)
  if (!isBelow(project, original) && !isBelow(top, project))
    return { ...known, project, file: original, tree: null, before: null, commit: null }
  const commit = await commitOf(top, original)
  const home = join(hooksDirectory(), 'trees', shortName(session))
  const inTree = (path: string) => join(home, 'tree', relative(top, path))
  await copyTo(join(home, 'tree'), top, commit)
  await linkPackages([top, dirname(original)], home)
  const before = isBelow(top, project) && existsSync(inTree(project)) ? inTree(project) : null
  return { ...known, project, file: inTree(original), tree: join(home, 'tree'), before, commit }
}

async function copyTo(tree: string, top: string, commit: string | null): Promise<void> {
  await rm(tree, { recursive: true, force: true })
  await using copy =
    commit === null
      ? await copyOf(top, { to: tree, ignore: notCopied, misfits: 'leave-out' })
      : await checkoutOf({ repository: top, ref: commit, timeoutMs }, { to: tree })
  copy.keep()
}

/** The commit of `HEAD`, if it has the config. */
async function commitOf(top: string, config: string): Promise<string | null> {
  const path = relative(top, config).split(sep).join('/')
  return inGit(top, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).then(async (commit) =>
    commit !== null && (await inGit(top, ['cat-file', '-e', `${commit}:${path}`])) !== null ? commit : null,
  )
}

/** The root of the repository around a directory. */
export async function repositoryOf(directory: string): Promise<string | null> {
  const top = await inGit(directory, ['rev-parse', '--show-toplevel'])
  return top === null || top === '' ? null : realpathSync(top)
}

/** What git prints; `null` where it fails: there is no repository, commit or path of this name. */
export async function inGit(cwd: string, args: readonly string[]): Promise<string | null> {
  try {
    return await readingGit({ cwd, timeoutMs }, (git) => git(args))
  } catch (thrown) {
    if (JuristError.is(thrown, 'git-failed')) return null
    throw thrown
  }
}

/**
 * Lets a pinned config import the packages of its project, except ours: these are those of this installation, which the
 * agent does not own. Packages are not copied.
 */
async function linkPackages(from: readonly string[], to: string): Promise<void> {
  await rm(join(to, 'node_modules'), { recursive: true, force: true })
  for (const directory of new Set(from)) {
    const packages = join(directory, 'node_modules')
    if (!existsSync(packages)) continue
    await mkdir(join(to, 'node_modules'), { recursive: true })
    for (const name of readdirSync(packages)) {
      if (name.startsWith('.') || name === 'jurist' || name === '@jurist') continue
      // The nearer directory comes last, and wins.
      await rm(join(to, 'node_modules', name), { force: true })
      await symlink(join(packages, name), join(to, 'node_modules', name))
    }
  }
}

/** Whether a path is a directory, or in it. */
export function isBelow(directory: string, path: string): boolean {
  const way = relative(directory, path)
  return way !== '..' && !way.startsWith(`..${sep}`)
}

/** The directory that the copy of a pin was made of. */
export function copiedFrom({ file, original, tree }: Pick<Pin, 'file' | 'original' | 'tree'>): string | null {
  return tree === null ? null : original.slice(0, original.length - relative(tree, file).length - 1)
}

/** A config that judges, and what is known about its files. */
export interface PinnedConfig {
  readonly loaded: LoadedConfig
  /** The config, and the modules that it loaded. */
  readonly files: readonly string[]
  /** Files of the config that are different in the project now, relative to the project. */
  readonly changed: readonly string[]
  /** Whether it lays hidden tests over the work. */
  readonly hidesTests: boolean
}

/** Loads the config of a pin. Paths in it lead into the copy, except for that of the results. */
export async function loadPinned({ file, original, tree, project }: Pin): Promise<PinnedConfig> {
  const loaded = await loadConfig(file, { compiledIn: compiledDirectory() })
  const files = filesOf(loaded)
  const top = copiedFrom({ file, original, tree })
  const pairs = files.flatMap((path) =>
    tree === null || top === null || !isBelow(tree, path) ? [] : [{ path, own: join(top, relative(tree, path)) }],
  )
  return {
    loaded,
    files,
    changed: pairs.filter(({ path, own }) => textOf(path) !== textOf(own)).map(({ own }) => relative(project, own)),
    hidesTests: hidesTests(loaded),
  }
}

/** The files of a config: itself, and the modules that it loaded. */
function filesOf({ file }: LoadedConfig): readonly string[] {
  return [...new Set([...loadedModules(), file].flatMap(moduleFiles))]
}

/** Whether a config lays hidden tests over the work, so that what judges say of them is not for the agent. */
export function hidesTests(loaded: LoadedConfig): boolean {
  return filesOf(loaded).some((path) => textOf(path)?.includes('overlay') === true)
}
