import { lstatSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Workspace } from '@jurist/core'
import { isInside } from '../../containment.js'
import { globMatcher } from '../../glob.js'
import type { ProvisionedWorkspace } from '../../provision.js'
import { directoryOf } from '../../workspace-directory.js'
import { sameFile } from '../command-target.js'
import { clearTheWay, copyInto, projectEntries } from '../overlay.js'
import { connectingDirectory, type IsolatedLanguage } from './code-process.js'

const javascript = /\.(?:[cm]?[jt]s|[jt]sx)$/
/** The language of a file by its name. */
export function languageOf(path: string): IsolatedLanguage | undefined {
  if (/\.d\.[cm]?ts$/.test(path)) return undefined
  return javascript.test(path) ? 'javascript' : path.endsWith('.py') ? 'python' : undefined
}

export interface Replacing {
  readonly work: Workspace
  readonly originals: readonly Workspace[]
  /** Paths that were laid over the workspace; they stay. */
  readonly laid: readonly string[]
  /** Globs of files that steer a run. Those that the agent was given stay. */
  readonly absent: readonly string[]
  /** Normalised. */
  readonly cwd: string
  readonly languages: ReadonlySet<IsolatedLanguage>
  readonly signal: AbortSignal
}

/** The agent's source files. `isKnown`: an original has the module as well. */
export type Sources = ReadonlyMap<string, { readonly isKnown: boolean }>

/**
 * Lists the agent's source files, none of which is a test. Those that the agent was given are removed from the copy
 * with the tests: the agent may have changed or deleted them.
 */
export async function sourcesOf(copy: ProvisionedWorkspace, replacing: Replacing): Promise<Sources> {
  const { work, originals, laid, absent, cwd, languages, signal } = replacing
  const steers = await globMatcher(absent, cwd)
  const kept = [...laid, connectingDirectory]
  const isSource = (path: string) => {
    const language = languageOf(path)
    const isKept = kept.some((one) => isInside(one, path) || isInside(path, one))
    return language !== undefined && languages.has(language) && !isKept && !steers(path)
  }
  for (const path of await filesOf(copy, signal)) if (isSource(path)) rmSync(join(copy.root, path), { force: true })
  const known = new Set<string>()
  for (const original of originals) for (const path of await filesOf(original, signal)) known.add(moduleOf(path))
  const sources = (await filesOf(work, signal)).filter(isSource)
  return new Map(sources.map((path) => [path, { isKnown: known.has(moduleOf(path)) }]))
}

async function filesOf(workspace: Workspace, signal: AbortSignal): Promise<readonly string[]> {
  const root = directoryOf(workspace)
  const isFile = (path: string) =>
    root !== undefined && statSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true
  const files: string[] = []
  for await (const { path, type } of projectEntries(workspace, signal))
    if (type === 'file' || (type === 'symlink' && isFile(path))) files.push(path)
  return files
}

/** A file and a directory with an index file are the same module for code that imports it. */
function moduleOf(path: string): string {
  return path.replace(/\.\w+$/, '').replace(/\/(?:index|__init__)$/, '')
}

export function writeProxy(root: string, path: string, text: string): void {
  clearTheWay(root, path)
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** Removes what is not equal in two workspaces. If it is unknown what the agent was given, it is what both have. */
export async function keepCommon(copy: ProvisionedWorkspace, { work, laid, signal }: Replacing): Promise<void> {
  for await (const { path, type } of copy.list({ signal })) {
    if (type === 'directory' || laid.some((one) => isInside(one, path))) continue
    if (type !== 'file' || !(await sameFile(work, copy, path))) rmSync(join(copy.root, path), { force: true })
  }
}

/** Files that contain nothing but data, whatever reads them. */
const data = /\.(?:jsonl?|ndjson|txt|md|rst|[ct]sv|ya?ml|xml|html?|css|svg|png|jpe?g|gif|webp|pdf|sql|graphql|proto)$/
/** Tools look for these by themselves, and some of them name code. */
const settings =
  /^(?:\..*|package(?:-lock)?\.json|[jt]sconfig.*|.*[._-](?:config|conf|rc)\..*|.*rc\.\w+|entry_points\.txt)$/i

/** Adds the data files of the agent that the options name. */
export async function copyDataFiles(
  copy: ProvisionedWorkspace,
  globs: readonly string[],
  replacing: Replacing,
): Promise<void> {
  const { work, laid, absent, cwd, signal } = replacing
  const [isNamed, steers] = [await globMatcher(globs, cwd), await globMatcher(absent, cwd)]
  for (const path of globs.length === 0 ? [] : await filesOf(work, signal)) {
    if (!isNamed(path) || !data.test(path) || steers(path) || laid.some((one) => isInside(one, path))) continue
    const names = path.split('/')
    if (names.some((name) => settings.test(name) || /\.(?:dist|egg)-info$/i.test(name))) continue
    if (!lstatSync(join(work.root ?? '', path)).isFile()) continue
    clearTheWay(copy.root, path)
    await copyInto(copy, work, path)
  }
}

/** Returns the names of modules that Python sources import, with their parent packages. */
export function importedModules(texts: Iterable<string>): ReadonlySet<string> {
  const found = new Set<string>()
  const add = (name: string) => {
    const parts = name.split('.').filter((part) => part !== '')
    for (const [index] of parts.entries()) found.add(parts.slice(0, index + 1).join('/'))
  }
  for (const text of texts) {
    for (const [, list = ''] of text.matchAll(/^\s*import\s+([\w., \t]+)/gm))
      for (const name of list.split(',')) add(name.trim().split(/\s/)[0] ?? '')
    for (const [, from = '', list = ''] of text.matchAll(/^\s*from\s+([\w.]+)\s+import\s+(\([^)]*\)|.*)/gm))
      for (const name of ['', ...list.split(/[^\w]+/)]) add(`${from}.${name}`)
    for (const [, name = ''] of text.matchAll(/['"]([A-Za-z_][\w.]*)['"]/g)) add(name)
  }
  return found
}

/** Whether a file may contain one of the imported modules. */
export function isImported(path: string, imported: ReadonlySet<string>): boolean {
  const parts = moduleOf(path).split('/')
  return parts.some((_, index) => imported.has(parts.slice(index).join('/')))
}

/** Lists the functions that Python sources define, unless a class has the same name. */
export async function pythonFunctions(
  originals: readonly Workspace[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const functions = new Set<string>()
  const others = new Set<string>()
  for (const original of originals)
    for (const path of await filesOf(original, signal)) {
      if (languageOf(path) !== 'python') continue
      const text = Buffer.from(await original.readBytes(path)).toString('utf8')
      for (const [, name = ''] of text.matchAll(/^(?:async\s+)?def\s+(\w+)/gm)) functions.add(name)
      for (const [, name = ''] of text.matchAll(/^\s*class\s+(\w+)/gm)) others.add(name)
      for (const [, name = ''] of text.matchAll(/^(\w+)\s*(?::[^=\n]*)?=[^=]/gm)) others.add(name)
    }
  return [...functions].filter((name) => !others.has(name))
}

/**
 * Creates a proxy of a Python module, which requests its content when it is imported.
 *
 * @param isKnown whether the originals have the module; any other proxy does not hide a module of the tests'
 * environment
 */
export function pythonProxy(home: string, isKnown: boolean): string {
  const place = JSON.stringify(join(home, connectingDirectory, 'client.py'))
  return `import importlib.util as _util, sys as _sys
if '_jurist_client' not in _sys.modules:
    _spec = _util.spec_from_file_location('_jurist_client', ${place})
    _sys.modules['_jurist_client'] = _util.module_from_spec(_spec)
    _spec.loader.exec_module(_sys.modules['_jurist_client'])
_sys.modules['_jurist_client'].fill(globals(), ${isKnown ? 'True' : 'False'})
`
}
