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
/** The modules of a YAML or JSON config. */
const modules = /\bmodule['"]?\s*:\s*['"]?([^\s'",{}]+)/g
/** The plug-ins of a config: an array, or the lines of a list. */
const plugins = /\bplugins['"]?\s*:\s*(\[[^\]]*\]|(?:\s*\n\s*-[^\n]*)+)/g
/** The forms of a specifier: a file, a module without its extension, a source of a JavaScript file, a directory. */
const endings = ['', '.ts', '.mts', '.js', '.mjs', '.cjs', '.json', '/index.ts', '/index.js']
const maxFiles = 2_000

/**
 * Returns a config or a module, and the files that it imports by relative paths. The paths come from the source, since
 * Node does not list the modules that it loaded itself.
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

/** Returns `undefined` for a file that cannot be read. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const timeoutMs = 60_000
/** Not copied from a project without a commit. */
const notCopied = ['.git/', 'node_modules/', 'results/', '.venv/', 'target/']

interface PinRequest {
  /** The directory of the session. */
  readonly cwd: string
  /** The config that the command line names. Default: the nearest one, searched upwards. */
  readonly config: string | undefined
  /** The id of the session, which has its own copy. */
  readonly session: string
  readonly isLate: boolean
}

/**
 * Copies the config that judges a session, with all other files of its project, to a place outside the agent's work:
 * from the commit of `HEAD`, or from the current files if that commit does not contain the config. A config outside the
 * project is used in place.
 *
 * @returns `null` if there is no config
 * @throws `git-failed`, `provision-failed`, `limit-exceeded`, `usage-invalid` for a named config that does not exist
 */
export async function pinConfig({ cwd, config, session, isLate }: PinRequest): Promise<Pin | null> {
  const found = await findConfig(cwd, config)
  if (found === undefined) return null
  const [original, start] = [realpathSync(found), realpathSync(cwd)]
  const known = { original, pinnedAt: new Date().toISOString(), isLate }
  const repository = await repositoryOf(start)
  const top = (await repositoryOf(dirname(original))) ?? dirname(original)
  // A named config may be anywhere. A config that was found is at the root of the project.
  const project = config === undefined ? dirname(original) : (repository ?? start)
  if (!isBelow(project, original) && !isBelow(top, project))
    return { ...known, project, file: original, tree: null, before: null, commit: null }
  const commit = await commitOf(top, original)
  const home = join(hooksDirectory(), 'trees', shortName(session))
  const inTree = (path: string) => join(home, 'tree', relative(top, path))
  await copyProject(join(home, 'tree'), top, commit)
  await linkPackages([top, dirname(original)], home)
  const before = isBelow(top, project) && existsSync(inTree(project)) ? inTree(project) : null
  return { ...known, project, file: inTree(original), tree: join(home, 'tree'), before, commit }
}

/** Copies a project: as a commit has it, or its current files. */
export async function copyProject(tree: string, top: string, commit: string | null): Promise<void> {
  await rm(tree, { recursive: true, force: true })
  await using copy =
    commit === null
      ? await copyOf(top, { to: tree, ignore: notCopied, misfits: 'leave-out' })
      : await checkoutOf({ repository: top, ref: commit, timeoutMs }, { to: tree })
  copy.keep()
}

/** Returns the commit of `HEAD` if it contains the config. */
export async function commitOf(top: string, config: string): Promise<string | null> {
  const path = relative(top, config).split(sep).join('/')
  return inGit(top, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).then(async (commit) =>
    commit !== null && (await inGit(top, ['cat-file', '-e', `${commit}:${path}`])) !== null ? commit : null,
  )
}

/** Returns the root of the repository around a directory. */
export async function repositoryOf(directory: string): Promise<string | null> {
  const top = await inGit(directory, ['rev-parse', '--show-toplevel'])
  return top === null || top === '' ? null : realpathSync(top)
}

/** Returns the output of git; `null` if it fails because there is no such repository, commit or path. */
export async function inGit(cwd: string, args: readonly string[]): Promise<string | null> {
  try {
    return await readingGit({ cwd, timeoutMs }, (git) => git(args))
  } catch (thrown) {
    if (JuristError.is(thrown, 'git-failed')) return null
    throw thrown
  }
}

/**
 * Lets a pinned config import the packages of its project, except those of Jurist: these come from this installation,
 * which the agent does not own. Packages are not copied.
 */
export async function linkPackages(from: readonly string[], to: string): Promise<void> {
  await rm(join(to, 'node_modules'), { recursive: true, force: true })
  for (const directory of new Set(from)) {
    const packages = join(directory, 'node_modules')
    if (!existsSync(packages)) continue
    await mkdir(join(to, 'node_modules'), { recursive: true })
    for (const name of readdirSync(packages)) {
      if (name.startsWith('.') || name === 'jurist' || name === '@jurist') continue
      // The nearest directory comes last and takes precedence.
      await rm(join(to, 'node_modules', name), { force: true })
      await symlink(join(packages, name), join(to, 'node_modules', name))
    }
  }
}

/** Whether a path is a directory or inside it. */
export function isBelow(directory: string, path: string): boolean {
  const way = relative(directory, path)
  return way !== '..' && !way.startsWith(`..${sep}`)
}

/** Returns the directory from which a pin was copied. */
export function copiedFrom({ file, original, tree }: Pick<Pin, 'file' | 'original' | 'tree'>): string | null {
  return tree === null ? null : original.slice(0, original.length - relative(tree, file).length - 1)
}

/** A config that judges, with information about its files. */
export interface PinnedConfig {
  readonly loaded: LoadedConfig
  /** The config, and the modules that it loaded. */
  readonly files: readonly string[]
  /** Files of the config that have changed in the project, relative to the project. */
  readonly changed: readonly string[]
  /** Whether it adds hidden tests to the workspace. */
  readonly hidesTests: boolean
}

/** Loads the config of a pin. Its paths lead into the copy, except for that of the results. */
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
    hidesTests: nameOverlays(files),
  }
}

/** Returns the config and the modules that it loaded. */
function filesOf({ file }: LoadedConfig): readonly string[] {
  return [...new Set([...loadedModules(), file].flatMap(moduleFiles))]
}

/** Whether a config adds hidden tests to the workspace, so that the agent must not read the details of their judges. */
export function hidesTests(loaded: LoadedConfig): boolean {
  return nameOverlays(filesOf(loaded))
}

function nameOverlays(files: readonly string[]): boolean {
  return files.some((path) => textOf(path)?.includes('overlay') === true)
}
