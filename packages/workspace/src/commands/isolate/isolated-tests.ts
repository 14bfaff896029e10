import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { error, type Judgment, JuristError, unjudgeable, type Workspace } from '@jurist/core'
import type { ProvisionedWorkspace } from '../../provision.js'
import { escaped, shortened } from '../../quotation.js'
import { defaultTimeoutMs } from '../command-target.js'
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
import { exportedSources, importedSources, javascriptProxy } from './javascript-modules.js'
import { languageOf, pythonProxy, sourcesBeside, writeProxy } from './source-proxies.js'

/** Tests beside which the code under test shall not run. */
export interface Isolating {
  /** The copy with the hidden tests, in which they run. */
  readonly copy: ProvisionedWorkspace
  /** What the copy was made of: the work that is judged. */
  readonly work: Workspace
  /** Whose sandbox, environment and packages the code gets. Default: those of the work. */
  readonly runsLike?: Workspace | undefined
  readonly originals: readonly Workspace[]
  readonly options: TestOptions
  readonly tool: SteeredTool
  /** Normalised. */
  readonly cwd: string
  readonly signal: AbortSignal
}

/**
 * Replaces the code beside the tests by proxies, which ask a process in another copy, where the code is and the tests are
 * not. Disposing the result ends that process.
 *
 * @throws `not-isolatable` where no test is of a language that can be isolated, `not-started`
 */
export async function isolateCode(isolating: Isolating): Promise<AsyncDisposable> {
  const { copy, work, runsLike, originals, options, tool, cwd, signal } = isolating
  const { root } = work
  if (root === undefined) throw notIsolatable('the workspace has no directory that could be copied')
  const { paths: laid = [], absent = steeringFiles[tool] } = options.overlay ?? {}
  rmSync(join(copy.root, connectingDirectory), { recursive: true, force: true })
  mkdirSync(join(copy.root, connectingDirectory))
  const tests = await laidTexts(copy, laid, signal)
  const languages = new Set([...tests.keys()].map(languageOf).filter((one) => one !== undefined))
  if (languages.size === 0)
    throw notIsolatable('none of the files in "overlay.paths" is JavaScript, TypeScript or Python')
  const sources = await sourcesBeside(copy, { originals, laid, absent, cwd, languages, signal })
  const { env = {}, timeoutMs = defaultTimeoutMs, cpuMs } = options
  const code = await codeProcess({ work: { ...work, root }, runsLike, cwd, env, timeoutMs, cpuMs, signal })
  try {
    for (const language of languages) await connect({ code, copy, language, sources, tests })
    return code
  } catch (thrown) {
    await code[Symbol.asyncDispose]()
    throw thrown
  }
}

interface Connecting {
  readonly code: CodeProcess
  readonly copy: ProvisionedWorkspace
  readonly language: IsolatedLanguage
  readonly sources: readonly string[]
  readonly tests: ReadonlyMap<string, string>
}

async function connect({ code, copy, language, sources, tests }: Connecting): Promise<void> {
  const [home = copy.root] = rootsOf(copy)
  const own = sources.filter((path) => languageOf(path) === language)
  installPrograms(copy.root, language)
  if (language === 'python') for (const path of own) writeProxy(copy.root, path, pythonProxy(home))
  else {
    const imported = [...importedSources(tests, own), ...(await exportedSources(copy, own))]
    const described = await code.describe([...new Set(imported)])
    const known = new Set(imported)
    const descriptionOf = (path: string) => (known.has(path) ? (described[path] ?? {}) : undefined)
    for (const path of own) writeProxy(copy.root, path, javascriptProxy(home, path, descriptionOf(path)))
  }
  await code.serve(language, copy)
}

/** The texts of the laid files in a language whose code can be isolated. */
async function laidTexts(
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
 * The judgment on tests that ran isolated. A value that could not be passed on is an ERROR where the reference has it too:
 * then these tests cannot be isolated. Where only the work of the agent has it, it is a FAIL.
 *
 * @param ofReference what a run of the reference could not pass on; `undefined` when it could not be run
 */
export async function isolatedJudgment(
  judgment: Judgment,
  copy: ProvisionedWorkspace,
  ofReference: () => Promise<readonly string[] | undefined>,
): Promise<Judgment> {
  const [first] = unfitIn(copy.root)
  const metadata = { ...judgment.metadata, isolated: 'child' }
  if (first === undefined) return { ...judgment, metadata }
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
