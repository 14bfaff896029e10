import { randomBytes } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import type { Check, JsonObject, Workspace } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { isInside } from '../../containment.js'
import { inside } from '../../sandbox/sandbox.js'
import { directoryOf } from '../../workspace-settings.js'
import type { CommandLine } from '../command-evidence.js'
import { below, isFile, type Site } from '../command-target.js'

/** A package of the workspace that a run imports from somewhere else, so that the judged work is not what is tested. */
interface OutsideImport {
  readonly name: string
  readonly from: string
  /** Why it comes from there, and what to do about it. */
  readonly remedy: string
  /** Whether the agent caused it, if that is known. */
  readonly isAgents: boolean
}

export interface Imports {
  /** Variables that make the packages of the workspace take precedence. */
  readonly env: { readonly [name: string]: string }
  /** The packages that still come from outside. */
  readonly outside: readonly OutsideImport[]
  /** The names and places of packages that are installed elsewhere, but come from the workspace in this run. */
  readonly redirected: { readonly [name: string]: string }
  /** Removes what was created for the run. */
  readonly tidy: () => void
}

/** Nothing is known, or nothing comes from outside. */
const noImports: Imports = { env: {}, outside: [], redirected: {}, tidy: () => {} }

/** The check that names packages from outside the judged work. */
export function importCheck(outside: readonly OutsideImport[]): Check {
  return { name: 'imported_from', passed: false, message: outside.map(described).join('; ') }
}

/** Names a package and the place that it comes from, for a reader. */
export function described({ name, from }: OutsideImport): string {
  return `${name} is imported from ${from}, not from the workspace`
}

export function redirectedMetadata({ redirected }: Imports): JsonObject {
  return Object.keys(redirected).length === 0 ? {} : { importedFrom: { ...redirected } }
}

const deepest = 3

const mostDirectories = 5_000

const others = new Set(['node_modules', 'vendor'])

/** Lists the directories that may contain packages of a workspace, the root first, without dependencies. */
function projectDirectories(root: string): readonly string[] {
  const found = ['.']
  const add = (directory: string, depth: number) => {
    for (const entry of readdirSync(join(root, directory), { withFileTypes: true })) {
      if (!entry.isDirectory() || others.has(entry.name) || entry.name.startsWith('.')) continue
      if (found.length === mostDirectories) return
      const path = below(directory, entry.name)
      found.push(path)
      if (depth < deepest) add(path, depth + 1)
    }
  }
  add('.', 1)
  return found
}

interface Module {
  readonly name: string
  /** Relative to the root of the workspace. */
  readonly path: string
  /** Whether a workspace that the agent did not touch has it. */
  readonly isKnown: boolean
}

interface PythonRun {
  readonly site: Site
  readonly command: CommandLine
  readonly env: { readonly [name: string]: string }
  /** The agent's initial state. */
  readonly before: Workspace | undefined
  /** The start of the agent, in milliseconds. */
  readonly startedAt: number | undefined
  readonly signal: AbortSignal
}

const mostModules = 200

/** The modules that pytest and unittest consist of. An agent must not be able to replace them. */
const runners = new Set(
  '_pytest pytest py pluggy iniconfig packaging exceptiongroup tomli pygments colorama unittest attr attrs sitecustomize usercustomize setup conftest noxfile'.split(
    ' ',
  ),
)

/**
 * Redirects Python imports to the workspace: a package that is installed elsewhere, for example by `pip install -e` in
 * another checkout, would be imported from there. Each such package of the workspace gets a link in a directory that
 * comes first in `PYTHONPATH`. The directory contains nothing else, so that no other file of the workspace replaces a
 * library.
 */
async function pythonImports(run: PythonRun): Promise<Imports> {
  const { site, command, env } = run
  const interpreter = interpreterOf(command)
  if (interpreter === undefined || site.workspace.root === undefined) return noImports
  const modules = await modulesOf(run, site.workspace.root)
  if (modules.length === 0) return noImports
  const { outside: found, path } = await outsideOf(modules, interpreter, run)
  const strays = modules.filter((module) => mayLead(module, found[module.name]?.from, run))
  // The first command may have moved the workspace into its own copy.
  const { root } = site.workspace
  if (strays.length === 0 || root === undefined) return noImports
  const links = linked(root, strays)
  const place = `${isolates(site) ? inside : root}/${links}`
  const added = { PYTHONPATH: path === undefined ? place : `${place}:${path}` }
  const { outside: left } = await outsideOf(strays, interpreter, { ...run, env: { ...env, ...added } })
  return {
    env: added,
    outside: Object.values(left),
    redirected: Object.fromEntries(strays.flatMap(({ name }) => (left[name] ? [] : [[name, found[name]?.from ?? '']]))),
    tidy: () => rmSync(join(root, links), { recursive: true, force: true }),
  }
}

/** An installed library must not be replaced by a module of the agent with the same name. */
function mayLead({ isKnown }: Module, from: string | undefined, { site, before }: PythonRun): boolean {
  if (from === undefined || isKnown) return from !== undefined
  const isLibrary = /\/(?:site|dist)-packages\//.test(from)
  return before === undefined && !(isLibrary && site.originals.length > 0)
}

function isolates({ workspace }: Site): boolean {
  const { sandbox } = workspace as { readonly sandbox?: { readonly isolation: string } }
  return sandbox !== undefined && sandbox.isolation !== 'none'
}

/** Returns the command that starts the interpreter; `undefined` for a command that is not Python. */
function interpreterOf(command: CommandLine): readonly string[] | undefined {
  const words = typeof command === 'string' ? command.split(/[\s;&|()]+/) : command
  const at = words.findIndex((word) => /^(?:python|pypy)[\d.]*$|^(?:pytest|py\.test|nose2|trial)$/.test(basename(word)))
  const program = words[at]
  if (program === undefined) return undefined
  if (/^(?:python|pypy)/.test(basename(program))) return [program]
  const first = words[0] ?? ''
  if (['uv', 'poetry', 'pipenv', 'pdm', 'rye', 'hatch'].includes(first)) return [first, 'run', 'python']
  // The first line of a script names its interpreter; pyenv and similar tools choose theirs by PATH.
  const choose =
    'p=$(command -v "$1") && shift && read -r l < "$p"; case "$l" in "#!"*python*) exec $(printf %s "$l" | cut -c3-) "$@";; *) exec python3 "$@";; esac'
  return ['sh', '-c', choose, 'sh', program]
}

/** Lists the packages and modules at the top of the workspace and of its `src`. */
async function modulesOf({ site: { originals, cwd } }: PythonRun, root: string): Promise<readonly Module[]> {
  const found: Module[] = []
  for (const directory of [below(cwd, 'src'), cwd])
    for (const module of modulesIn(root, directory)) {
      if (runners.has(module.name) || found.some(({ name }) => name === module.name)) continue
      found.push({ ...module, isKnown: await hasModule(originals, module.path) })
    }
  return found.slice(0, mostModules)
}

function modulesIn(root: string, directory: string): readonly Omit<Module, 'isKnown'>[] {
  const place = join(root, directory)
  if (!existsSync(place)) return []
  return readdirSync(place, { withFileTypes: true }).flatMap((entry) => {
    const path = below(directory, entry.name)
    const [, name] = /^([A-Za-z_]\w*)(?:\.py)?$/.exec(entry.name) ?? []
    if (name === undefined || /^test_|_test$/.test(name)) return []
    const isModule = entry.isFile() && entry.name.endsWith('.py')
    return isModule || (entry.isDirectory() && existsSync(join(root, path, '__init__.py'))) ? [{ name, path }] : []
  })
}

async function hasModule(originals: Site['originals'], path: string): Promise<boolean> {
  const file = path.endsWith('.py') ? path : `${path}/__init__.py`
  for (const original of originals) if (await isFile(original, file)) return true
  return false
}

/**
 * Creates a directory with a link to each module. It contains nothing else, since the interpreter looks there first.
 */
function linked(root: string, modules: readonly Module[]): string {
  const directory = `.jurist-imports-${randomBytes(8).toString('hex')}`
  mkdirSync(join(root, directory))
  for (const { path } of modules) symlinkSync(`../${path}`, join(root, directory, basename(path)))
  return directory
}

/** Prints where modules are found, without the directory it runs in, whose files may be anything. */
const program = `import sys
sys.path[:] = [p for p in sys.path if p != '']
import os, json, importlib.util
base = os.path.realpath(os.path.join(os.getcwd(), sys.argv[1])) + os.sep
outside = {}
for name in sys.argv[2:]:
    if name in getattr(sys, 'stdlib_module_names', ()): continue
    try: spec = importlib.util.find_spec(name)
    except Exception: continue
    places = [spec.origin] if spec and spec.has_location else list(spec.submodule_search_locations or []) if spec else []
    places = [os.path.realpath(p) for p in places if p]
    if places and not places[0].startswith(base): outside[name] = places[0]
links = []
for d in sys.path:
    if os.path.isdir(d) and os.path.basename(d) in ('site-packages', 'dist-packages'):
        links += [os.path.join(d, f) for f in os.listdir(d) if f.endswith(('.pth', '.egg-link'))]
print(json.dumps({'outside': outside, 'changed': max([os.lstat(f).st_ctime for f in links] or [0]) * 1000,
    'own': any(os.path.realpath(f).startswith(base) for f in links), 'path': os.environ.get('PYTHONPATH')}))`

const remedy = 'install the package without -e, or from the workspace itself'

interface Found {
  readonly outside: Readonly<Record<string, OutsideImport>>
  /** The value of PYTHONPATH in the run. */
  readonly path: string | undefined
}

async function outsideOf(
  modules: readonly Module[],
  interpreter: readonly string[],
  { site, env, startedAt, signal }: PythonRun,
): Promise<Found> {
  const { workspace, cwd } = site
  const up = cwd === '.' ? '.' : cwd.replace(/[^/]+/g, '..')
  const command = [...interpreter, '-c', program, up, ...modules.map(({ name }) => name)]
  const { stdout } = await workspace.run(command, { cwd, env, signal, timeoutMs: 60_000 })
  const { outside, changed, own, path } = answerOf(stdout)
  const isAgents = own === true || (startedAt !== undefined && typeof changed === 'number' && changed >= startedAt)
  const places = isPlainObject(outside) ? Object.entries(outside) : []
  return {
    outside: Object.fromEntries(places.map(([name, from]) => [name, { name, from: String(from), remedy, isAgents }])),
    path: typeof path === 'string' && path !== '' ? path : undefined,
  }
}

function answerOf(output: string): { readonly [key: string]: unknown } {
  try {
    const answer: unknown = JSON.parse(output.trim().split('\n').at(-1) ?? '')
    return isPlainObject(answer) ? answer : {}
  } catch {
    return {}
  }
}

/**
 * Finds packages of the workspace that a run would import from outside, where no judge looks, and redirects those that
 * it can. Call `tidy` after the run.
 */
export async function importsOf(run: PythonRun & { readonly copiedFrom: string | undefined }): Promise<Imports> {
  const all = [nodeImports(run.site, run.copiedFrom), goImports(run.site), await pythonImports(run)]
  return {
    env: Object.assign({}, ...all.map(({ env }) => env)),
    outside: all.flatMap(({ outside }) => outside),
    redirected: Object.assign({}, ...all.map(({ redirected }) => redirected)),
    tidy: () => {
      for (const { tidy } of all) tidy()
    },
  }
}

const mostBytes = 1_048_576
const goRemedy = 'name a directory of the workspace, with a relative path'

/** Finds directives of `go.mod` and `go.work` that take a module from a directory outside the workspace. */
function goImports({ workspace, originals, cwd }: Site): Imports {
  const { root } = workspace
  if (root === undefined) return noImports
  const files = [...new Set(['go.mod', 'go.work', below(cwd, 'go.mod'), below(cwd, 'go.work')])]
  if (!files.some((file) => existsSync(join(root, file)))) return noImports
  const own = goModulesOf(root)
  const outside = files.flatMap((file) => {
    const text = textOf(root, file)
    return targetsIn(text).flatMap(({ name, target }): readonly OutsideImport[] => {
      const place = resolve(root, file, '..', target)
      if (isInside(root, place)) return []
      const isGiven = originals.some((original) => {
        const directory = directoryOf(original)
        return directory !== undefined && targetsIn(textOf(directory, file)).some((one) => one.target === target)
      })
      const isAgents = originals.length > 0 && !isGiven
      // A library outside the workspace that the agent was given is not part of the judged work.
      return isAgents || own.has(name) || name.startsWith('use ')
        ? [{ name, from: place, remedy: goRemedy, isAgents }]
        : []
    })
  })
  return { ...noImports, outside }
}

function goModulesOf(root: string): ReadonlySet<string> {
  const files = projectDirectories(root).map((directory) => below(directory, 'go.mod'))
  return new Set(files.flatMap((file) => /^module\s+(\S+)/m.exec(textOf(root, file))?.[1] ?? []))
}

function textOf(root: string, file: string): string {
  const place = join(root, file)
  if (!existsSync(place)) return ''
  const stats = lstatSync(place)
  return stats.isFile() && stats.size <= mostBytes ? readFileSync(place, 'utf8') : ''
}

interface Target {
  readonly name: string
  readonly target: string
}

/**
 * Reads the directories that `replace` and `use` name. A path is absolute or begins with a dot; anything else is a
 * module.
 */
function targetsIn(text: string): readonly Target[] {
  const found: Target[] = []
  let block = ''
  for (const line of text.split('\n')) {
    const words = line
      .replace(/\/\/.*/, '')
      .trim()
      .split(/\s+/)
    if (words[1] === '(') block = words[0] ?? ''
    else if (words[0] === ')') block = ''
    const [directive = '', ...rest] = block === '' ? words : [block, ...words]
    const arrow = rest.indexOf('=>')
    const target = directive === 'use' ? rest[0] : directive === 'replace' && arrow >= 0 ? rest[arrow + 1] : undefined
    const name = directive === 'use' ? `use ${target}` : rest[0]
    const path = target?.replace(/^["`](.*)["`]$/, '$1')
    if (path !== undefined && name !== undefined && (path.startsWith('.') || isAbsolute(path)))
      found.push({ name, target: path })
  }
  return found
}

const nodeRemedy = 'remove the link, or install the packages in the workspace itself'

/**
 * Redirects links of `node_modules` to the workspace: links to its own packages, which `npm link` and workspaces
 * create, may lead to another checkout. In a copy, they are created again; in the workspace itself, they are only
 * reported.
 *
 * @param copiedFrom the directory that the site is a copy of; a copy has no links that lead out
 */
function nodeImports({ workspace, originals, cwd }: Site, copiedFrom: string | undefined): Imports {
  const { root } = workspace
  if (root === undefined) return noImports
  const places = [...new Set(['node_modules', below(cwd, 'node_modules')])].filter((one) => existsSync(join(root, one)))
  if (places.length === 0) return noImports
  const outside: OutsideImport[] = []
  const redirected: Record<string, string> = {}
  for (const [name, directory] of packagesOf(root))
    for (const place of places) {
      const path = `${place}/${name}`
      const from = leadsOut(copiedFrom ?? root, path)
      if (from === undefined) continue
      if (copiedFrom !== undefined) {
        rmSync(join(root, path), { recursive: true, force: true })
        mkdirSync(dirname(join(root, path)), { recursive: true })
        symlinkSync(relative(dirname(join(root, path)), join(root, directory)) || '.', join(root, path))
        redirected[name] = from
      } else
        outside.push({
          name,
          from,
          remedy: nodeRemedy,
          isAgents: originals.length > 0 && !hasLink(originals, path, root),
        })
    }
  return { ...noImports, outside, redirected }
}

/** Returns the target of a link if it is outside the workspace; otherwise `undefined`. */
function leadsOut(root: string, path: string): string | undefined {
  const place = join(root, path)
  if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined
  try {
    const target = realpathSync(place)
    return isInside(root, target) ? undefined : target
  } catch {
    return undefined
  }
}

function hasLink(originals: Site['originals'], path: string, root: string): boolean {
  return originals.some((original) => {
    const directory = directoryOf(original)
    if (directory === undefined) return false
    const place = join(directory, path)
    if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return false
    return readlinkSync(place) === readlinkSync(join(root, path))
  })
}

/** Returns the directories of the packages of the workspace by name, the root first. */
function packagesOf(root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const directory of projectDirectories(root)) {
    const name = nameIn(join(root, directory, 'package.json'))
    if (name !== undefined && !found.has(name)) found.set(name, directory)
  }
  return found
}

function nameIn(file: string): string | undefined {
  try {
    if (!lstatSync(file).isFile()) return undefined
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const name = isPlainObject(manifest) ? manifest['name'] : undefined
    return typeof name === 'string' && /^(?:@[\w.-]+\/)?[\w-][\w.-]*$/.test(name) ? name : undefined
  } catch {
    // The agent may have left anything here.
    return undefined
  }
}
