import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Workspace } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { inside } from '../../sandbox/sandbox.js'
import type { CommandLine } from '../command-evidence.js'
import type { Site } from '../command-target.js'
import { below, isFile } from '../command-target.js'
import { type Imports, noImports, type OutsideImport } from './outside-import.js'

interface Module {
  readonly name: string
  /** Relative to the root of the workspace. */
  readonly path: string
  /** Whether a workspace that the agent did not touch has it. */
  readonly isKnown: boolean
}

export interface PythonRun {
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
export async function pythonImports(run: PythonRun): Promise<Imports> {
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
