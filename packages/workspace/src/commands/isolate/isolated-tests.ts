import { lstatSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { error, type JsonObject, type Judgment, JuristError, unjudgeable, type Workspace } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { isInside } from '../../containment.js'
import { globMatcher } from '../../list-tree.js'
import type { ProvisionedWorkspace } from '../../provision.js'
import { escaped, shortened } from '../../quotation.js'
import { directoryOf } from '../../workspace-settings.js'
import { rootsOf } from '../command-evidence.js'
import { defaultTimeoutMs, manifestOf, sameFile } from '../command-target.js'
import { clearTheWay, copyInto, installedPaths, laidTexts, projectEntries } from '../overlay.js'
import { type SteeredTool, steeringFiles } from '../steering-files.js'
import type { TestOptions } from '../test-options.js'
import {
  type CodeProcess,
  codeProcess,
  codeSession,
  connectingDirectory,
  type IsolatedLanguage,
  installPrograms,
  type ServedCode,
  unfitIn,
} from './code-process.js'

export interface Isolating {
  /**
   * The copy with the hidden tests, in which they run. It is a copy of what the agent was given, as `givenFiles`
   * defines it.
   */
  readonly copy: ProvisionedWorkspace
  /** The judged work. */
  readonly work: Workspace
  /** The workspace whose sandbox, environment and packages the code gets. Default: the judged work. */
  readonly runsLike?: Workspace | undefined
  readonly before: Workspace | undefined
  readonly originals: readonly Workspace[]
  readonly options: TestOptions
  readonly tool: SteeredTool
  /** The working directory, normalised. */
  readonly cwd: string
  readonly signal: AbortSignal
}

/**
 * Writes proxies among the tests for the modules of the code. They call a process in another copy, which contains the
 * code and not the tests. Next to the tests, there is nothing of the agent except the data that `overlay.data` names:
 * the source of the proxies is our own. Disposing the result ends the process.
 *
 * @throws `not-isolatable` if no test is in a language that can be isolated, `not-started`
 */
export async function isolateCode(isolating: Isolating): Promise<AsyncDisposable> {
  const { copy, work, runsLike, before, originals, options, tool, cwd, signal } = isolating
  const { root } = work
  if (root === undefined) throw notIsolatable('the workspace has no directory that could be copied')
  const { paths = [], absent = steeringFiles[tool], data = [] } = options.overlay ?? {}
  const place = join(copy.root, connectingDirectory)
  rmSync(place, { recursive: true, force: true })
  const tests = await laidTexts(copy, paths, (path) => languageOf(path) !== undefined, signal)
  const languages = new Set([...tests.keys()].map(languageOf).filter((one) => one !== undefined))
  if (languages.size === 0)
    throw notIsolatable('none of the files in "overlay.paths" is JavaScript, TypeScript or Python')
  const laid = [...paths, ...installedPaths(runsLike ?? work)]
  const replacing = { work, originals, laid, absent, cwd, languages, signal }
  if (before === undefined) await keepCommon(copy, replacing)
  mkdirSync(place, { recursive: true })
  const sources = await sourcesOf(copy, replacing)
  await copyDataFiles(copy, data, replacing)
  const { env = {}, timeoutMs = defaultTimeoutMs, cpuMs } = options
  const code = await codeProcess({ work: { ...work, root }, runsLike, cwd, env, timeoutMs, cpuMs, signal })
  try {
    for (const language of languages)
      await connect({ code, copy, language, sources, tests, originals, timeoutMs, signal })
    return code
  } catch (thrown) {
    await code[Symbol.asyncDispose]()
    throw thrown
  }
}

interface Connecting extends Pick<Isolating, 'copy' | 'originals' | 'signal'> {
  readonly code: CodeProcess
  readonly language: IsolatedLanguage
  readonly sources: Sources
  readonly tests: ReadonlyMap<string, string>
  readonly timeoutMs: number
}

/** Only modules that an original has as well, or that a test imports, get a proxy: others would only hide something. */
async function connect({
  code,
  copy,
  language,
  sources,
  tests,
  originals,
  timeoutMs,
  signal,
}: Connecting): Promise<void> {
  const [home = copy.root] = rootsOf(copy)
  const own = [...sources.keys()].filter((path) => languageOf(path) === language)
  const isKnown = (path: string) => sources.get(path)?.isKnown === true
  installPrograms(copy.root, language, 'tests')
  if (language === 'python') {
    const imported = importedModules(tests.values())
    const functions = await pythonFunctions(originals, signal)
    writeFileSync(join(copy.root, connectingDirectory, 'functions.json'), JSON.stringify(functions))
    for (const path of own)
      if (isKnown(path) || isImported(path, imported)) writeProxy(copy.root, path, pythonProxy(home, isKnown(path)))
    const served = await code.serve(language)
    served.connect(copy)
  } else {
    const imported = new Set([...importedSources(tests, own), ...(await exportedSources(copy, own))])
    const { served, exports } = await describedCode(code, [...imported], { timeoutMs, signal })
    const descriptionOf = (path: string) => (imported.has(path) ? (exports[path] ?? {}) : undefined)
    for (const path of own)
      if (isKnown(path) || imported.has(path))
        writeProxy(copy.root, path, javascriptProxy(home, path, descriptionOf(path)))
    served.connect(copy)
  }
}

function notIsolatable(what: string): JuristError<'not-isolatable'> {
  return new JuristError('not-isolatable', `isolate: "child" is not possible: ${what}.`, { what })
}

/**
 * Judges tests that ran isolated. A value that could not be passed on is an ERROR if the reference has it too, since
 * these tests cannot be isolated. If only the agent's work has it, it is a FAIL.
 *
 * @param ofReference the values that a run of the reference could not pass on; `undefined` if it could not be run
 */
export async function isolatedJudgment(
  judgment: Judgment,
  copy: ProvisionedWorkspace,
  ofReference: () => Promise<readonly string[] | undefined>,
): Promise<Judgment> {
  const [first] = unfitIn(copy.root)
  const metadata = { ...judgment.metadata, isolated: 'child' }
  // If the tests ran out of time, no time is left for the reference.
  if (first === undefined || judgment.metadata['status'] === 'timed-out') return { ...judgment, metadata }
  const what = shortened(escaped(first))
  if ((await ofReference())?.length === 0)
    return unjudgeable(`the code under test cannot be isolated, and the reference can: ${what}`, {
      code: 'not-isolatable',
      metadata,
    })
  const thrown = notIsolatable(what)
  return error(`${thrown.message} Leave out "isolate" for these tests, or have them pass only values.`, thrown, {
    metadata,
  })
}

/**
 * Judges code whose process cannot be started: FAIL if the reference's process can be, since an agent must not be able
 * to choose ERROR.
 *
 * @throws the same error if the reference cannot be started either
 */
export async function brokenCode(
  thrown: JuristError<'not-started'>,
  reference: () => Promise<AsyncDisposable>,
): Promise<Judgment> {
  try {
    await using _other = await reference()
  } catch {
    throw thrown
  }
  return unjudgeable(shortened(escaped(`${thrown.message}; with the reference it can`)), {
    code: 'code-broken',
    metadata: { isolated: 'child' },
  })
}

const endings = ['', '.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.cjs', '.jsx']
const literal = /(['"`])([^'"`\s]{1,400})\1/g

/**
 * Finds the sources that tests may import, by the strings in them: file names, and names by which runners find files
 * (`@/sum`). Extra sources do little harm: each is only loaded once to see its exports.
 */
function importedSources(texts: ReadonlyMap<string, string>, sources: readonly string[]): readonly string[] {
  const known = new Set(sources)
  const found = new Set<string>()
  for (const [path, text] of texts)
    for (const [, , name = ''] of text.matchAll(literal))
      for (const source of candidates(path, name, known)) found.add(source)
  return [...found].sort()
}

function candidates(importer: string, name: string, known: ReadonlySet<string>): readonly string[] {
  if (name.startsWith('.')) {
    const target = posix.join(posix.dirname(importer), name)
    return namesOf(target).filter((one) => known.has(one))
  }
  const [, tail] = /^(?:@|~|#|[\w.-]+)\/(.+)$/.exec(name) ?? /^[#~@](.+)$/.exec(name) ?? []
  if (tail === undefined) return []
  const tails = namesOf(tail)
  return [...known].filter((source) => tails.some((one) => source === one || source.endsWith(`/${one}`)))
}

/** Returns the files that a name may mean, without an extension or with another one. */
function namesOf(path: string): readonly string[] {
  const source = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2')
  return [source, ...endings.flatMap((ending) => [path + ending, `${path}/index${ending}`])]
}

/** Finds the sources that the manifest of a package exports. */
async function exportedSources(workspace: Workspace, sources: readonly string[]): Promise<readonly string[]> {
  const known = new Set(sources)
  const manifest = await manifestOf(workspace, 'package.json')
  if (manifest === undefined) return []
  const { main, module, exports, imports } = manifest
  const names = stringsIn([main ?? 'index', module, exports, imports])
  return names.flatMap((name) => namesOf(posix.normalize(name)).filter((one) => known.has(one)))
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** How long one module may take to load, in milliseconds; once one has taken longer; and how long its process may end. */
const [moduleMs, shorterMs, endMs] = [20_000, 2_000, 5_000]

/**
 * Serves the code, and asks it for the exports of modules, each of which is loaded by a separate process. If that takes
 * all the time, descriptions are missing, and the tests show the problem.
 */
async function describedCode(
  code: CodeProcess,
  paths: readonly string[],
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<{ readonly served: ServedCode; readonly exports: { readonly [path: string]: JsonObject } }> {
  const end = performance.now() + timeoutMs
  const exports: { [path: string]: JsonObject } = {}
  let served = await code.serve('javascript')
  let limitMs = moduleMs
  for (const path of paths) {
    const leftMs = end - performance.now()
    if (leftMs <= 0) break
    using session = codeSession(code.root, 'javascript')
    const reply = await session.ask({ load: path }, Math.min(limitMs, leftMs))
    exports[path] = reply
    if (reply['late'] === undefined && (await session.end(endMs))) continue
    // Tests wait for all modules: when one of them hangs, the others get less time.
    limitMs = shorterMs
    await served[Symbol.asyncDispose]()
    served = await code.serve('javascript')
  }
  signal.throwIfAborted()
  return { served, exports }
}

const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u

/**
 * Creates a proxy of a JavaScript module, with the same exported names as the code under test, that calls its process.
 * The code chooses these names, so only identifiers are allowed in the source.
 *
 * @param description the exports as a process reported them; `undefined` if no test seemed to import the module
 */
function javascriptProxy(home: string, path: string, description: unknown): string {
  // A file, not a directory, since that is all that Jest's `createRequire` accepts.
  const place = JSON.stringify(join(home, connectingDirectory, 'client.cjs'))
  const client = `process.getBuiltinModule('node:module').createRequire(${place})('./client.cjs')`
  const code = `${client}.module(${JSON.stringify(path)}, globalThis)`
  if (description === undefined) return `${client}.unknown(${JSON.stringify(path)})\n`
  const { format, exports: exported } = isPlainObject(description) ? description : {}
  const members = isPlainObject(exported) && isPlainObject(exported['members']) ? exported['members'] : {}
  // A module that exports `then` would be awaited.
  const names = Object.keys(members).filter((name) => identifier.test(name) && name !== 'then')
  const isCommon = path.endsWith('.cjs') || (format === 'commonjs' && /\.jsx?$/.test(path))
  if (isCommon) return `module.exports = ${code}\n0 && (module.exports = { ${names.filter(isShorthand).join(', ')} })\n`
  const exports = names.map((name, index) => `v${index} as ${name}`).join(', ')
  const lines = names.map((name, index) => `const v${index} = code[${JSON.stringify(name)}]`)
  return ['// @ts-nocheck', `const code = ${code}`, ...lines, `export { ${exports} }`, ''].join('\n')
}

/** Whether an export list may contain a name without its value. Such a list is only read and never run. */
const isShorthand = (name: string): boolean =>
  !/^(?:default|class|function|import|export|new|delete|in|if|for|do)$/.test(name)

const javascript = /\.(?:[cm]?[jt]s|[jt]sx)$/
/** The language of a file by its name. */
function languageOf(path: string): IsolatedLanguage | undefined {
  if (/\.d\.[cm]?ts$/.test(path)) return undefined
  return javascript.test(path) ? 'javascript' : path.endsWith('.py') ? 'python' : undefined
}

interface Replacing {
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
type Sources = ReadonlyMap<string, { readonly isKnown: boolean }>

/**
 * Lists the agent's source files, none of which is a test. Those that the agent was given are removed from the copy
 * with the tests: the agent may have changed or deleted them.
 */
async function sourcesOf(copy: ProvisionedWorkspace, replacing: Replacing): Promise<Sources> {
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

function writeProxy(root: string, path: string, text: string): void {
  clearTheWay(root, path)
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** Removes what is not equal in two workspaces. If it is unknown what the agent was given, it is what both have. */
async function keepCommon(copy: ProvisionedWorkspace, { work, laid, signal }: Replacing): Promise<void> {
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
async function copyDataFiles(
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
function importedModules(texts: Iterable<string>): ReadonlySet<string> {
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
function isImported(path: string, imported: ReadonlySet<string>): boolean {
  const parts = moduleOf(path).split('/')
  return parts.some((_, index) => imported.has(parts.slice(index).join('/')))
}

/** Lists the functions that Python sources define, unless a class has the same name. */
async function pythonFunctions(originals: readonly Workspace[], signal: AbortSignal): Promise<readonly string[]> {
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
function pythonProxy(home: string, isKnown: boolean): string {
  const place = JSON.stringify(join(home, connectingDirectory, 'client.py'))
  return `import importlib.util as _util, sys as _sys
if '_jurist_client' not in _sys.modules:
    _spec = _util.spec_from_file_location('_jurist_client', ${place})
    _sys.modules['_jurist_client'] = _util.module_from_spec(_spec)
    _spec.loader.exec_module(_sys.modules['_jurist_client'])
_sys.modules['_jurist_client'].fill(globals(), ${isKnown ? 'True' : 'False'})
`
}
