import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { error, type Judgment, JuristError, unjudgeable, type Workspace } from '@jurist/core'
import type { ProvisionedWorkspace } from '../../provision.js'
import { escaped, shortened } from '../../quotation.js'
import { defaultTimeoutMs } from '../command-target.js'
import { installedPaths } from '../overlay.js'
import { type SteeredTool, steeringFiles } from '../steering-files.js'
import type { TestOptions } from '../test-options.js'
import { rootsOf } from '../within-workspace.js'
import {
  type CodeProcess,
  codeProcess,
  connectingDirectory,
  type IsolatedLanguage,
  installPrograms,
  unfitIn,
} from './code-process.js'
import { describedCode, exportedSources, importedSources, javascriptProxy } from './javascript-modules.js'
import {
  copyDataFiles,
  importedModules,
  isImported,
  keepCommon,
  languageOf,
  pythonFunctions,
  pythonProxy,
  type Sources,
  sourcesOf,
  writeProxy,
} from './source-proxies.js'

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
  /** Normalised. */
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
  const tests = await readOverlay(copy, paths, signal)
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

/** Reads the laid files in a language whose code can be isolated. */
async function readOverlay(
  copy: ProvisionedWorkspace,
  laid: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  const add = async (path: string) => {
    if (languageOf(path) !== undefined) texts.set(path, Buffer.from(await copy.readBytes(path)).toString('utf8'))
  }
  for (const path of laid)
    if (await copy.isFile(path)) await add(path)
    else for await (const entry of copy.list({ under: path, signal })) if (entry.type === 'file') await add(entry.path)
  return texts
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
