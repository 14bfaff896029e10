import { constants, copyFileSync, linkSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { blamed, type CommandResult, JuristError, type Workspace } from '@jurist/core'
import { anySignal, failureOf, maxReadBytes } from '@jurist/core/internal'
import { copyOf } from '../../copy.js'
import type { ProvisionedWorkspace } from '../../provision.js'
import { settingsOf } from '../../workspace-settings.js'
import { clearTheWay } from '../overlay.js'
import { rootsOf } from '../within-workspace.js'

/** The languages whose code can run apart from its tests. */
export type IsolatedLanguage = 'javascript' | 'python'

/** The directory, in both copies, of the programs that connect them. */
export const connectingDirectory = '.jurist-code'

interface Programs {
  /** The server command, without its last argument, the socket. */
  readonly serve: readonly string[]
  /** Files for the tests and for the code. */
  readonly files: readonly `#isolated/${string}`[]
}

const programs: { readonly [language in IsolatedLanguage]: Programs } = {
  javascript: {
    serve: ['node', 'serve.mjs'],
    files: [
      '#isolated/serve.mjs',
      '#isolated/code.mjs',
      '#isolated/load-types.mjs',
      '#isolated/values.cjs',
      '#isolated/client.cjs',
      '#isolated/proxies.cjs',
      '#isolated/transport.cjs',
      '#isolated/transport-thread.cjs',
    ],
  },
  python: {
    // Nothing of the workspace is loaded before the code itself. A file that was changed within the same second is read
    // again.
    serve: ['python3', '-I', '-B', 'serve.py'],
    files: ['#isolated/serve.py', '#isolated/code_side.py', '#isolated/values.py', '#isolated/client.py'],
  },
}

/** The names of the sockets in the connecting directory. */
export const socketNames: { readonly [language in IsolatedLanguage]: string } = { javascript: 'js', python: 'python' }

/**
 * Writes the programs of a language into a workspace. Code that ran there may have left links, which are not followed.
 */
export function installPrograms(root: string, language: IsolatedLanguage): void {
  const { resolve } = createRequire(import.meta.url)
  clearTheWay(root, `${connectingDirectory}/-`)
  mkdirSync(join(root, connectingDirectory), { recursive: true })
  for (const file of programs[language].files) {
    const path = `${connectingDirectory}/${basename(file)}`
    clearTheWay(root, path)
    copyFileSync(resolve(file), join(root, path), constants.COPYFILE_EXCL)
  }
}

export interface CodeSettings {
  /** The agent's work, which is copied. */
  readonly work: Workspace & { readonly root: string }
  /** The workspace whose sandbox, environment and packages the copy gets. Default: the agent's work. */
  readonly runsLike?: Workspace | undefined
  /** The directory in which the tests run, normalised. */
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  readonly timeoutMs: number
  readonly cpuMs?: number | undefined
  readonly signal: AbortSignal
}

/** A copy of the agent's work in which the code under test runs. It contains no hidden tests. */
export interface CodeProcess extends AsyncDisposable {
  readonly root: string
  /**
   * Starts a process for the code of a language, and lets the tests of another directory connect to it. Disposing the
   * result ends that process and everything it started, even if the code loops.
   */
  serve(language: IsolatedLanguage, tests?: { readonly root: string }): Promise<AsyncDisposable>
  /** Describes the exports of JavaScript modules, by path. Each module is loaded by a separate process. */
  describe(paths: readonly string[]): Promise<{ readonly [path: string]: unknown }>
}

const moduleMs = 20_000
const startMs = 30_000
const pauseMs = 10

/** Creates a copy with the programs in it. Disposing it ends them. */
export async function codeProcess(settings: CodeSettings): Promise<CodeProcess> {
  const { work, runsLike = work, cwd, env, timeoutMs, cpuMs = null, signal } = settings
  const how = { ...settingsOf(runsLike), ignore: [], misfits: 'leave-out', signal } as const
  const copy = await copyOf(work.root, how).catch((thrown) => {
    throw blamed(work, thrown)
  })
  rmSync(join(copy.root, connectingDirectory), { recursive: true, force: true })
  const [root = copy.root] = rootsOf(copy)
  const place = (name: string) => join(root, connectingDirectory, name)
  const run = (words: readonly string[], options: { readonly signal: AbortSignal }) =>
    copy.run(words, { cwd, env, timeoutMs, cpuMs, maxOutputBytes: 65_536, ...options })
  // Process ids are different inside a sandbox.
  const parent = isLocal(copy) ? String(process.pid) : '0'
  const wordsOf = ({ serve }: Programs) => [
    ...serve.map((word) => (/\.\w+$/.test(word) ? place(word) : word)),
    ...[parent, String(Math.ceil(timeoutMs) + startMs)],
  ]
  const ending = new AbortController()
  const running: Promise<CommandResult>[] = []
  return {
    root: copy.root,
    async serve(language, tests) {
      installPrograms(copy.root, language)
      const socket = socketNames[language]
      const stopping = new AbortController()
      const result = run([...wordsOf(programs[language]), place(socket)], {
        signal: anySignal([signal, ending.signal, stopping.signal]),
      })
      running.push(result)
      const socketOf = ({ root }: { readonly root: string }) => join(root, connectingDirectory, socket)
      await listening(socketOf(copy), language, result, signal)
      if (tests !== undefined) connect(socketOf(copy), socketOf(tests), language)
      return {
        async [Symbol.asyncDispose]() {
          stopping.abort(new Error('the code is loaded again'))
          await Promise.allSettled([result])
          rmSync(socketOf(copy), { force: true })
        },
      }
    },
    async describe(paths) {
      installPrograms(copy.root, 'javascript')
      const [list, found] = ['modules.json', 'exports.json']
      clearTheWay(copy.root, `${connectingDirectory}/${list}`)
      writeFileSync(join(copy.root, connectingDirectory, list), JSON.stringify(paths))
      const words = [...wordsOf(programs.javascript), 'describe', place(list), place(found), String(moduleMs)]
      const result = await run(words, { signal })
      signal.throwIfAborted()
      // If loading the code takes all the time, there is no description, and the tests will show the problem.
      if (result.status === 'timed-out') return {}
      if (!isHealthy(result)) throw notStarted('javascript', result)
      return await descriptions(copy, `${connectingDirectory}/${found}`)
    },
    async [Symbol.asyncDispose]() {
      ending.abort(new Error('the tests have ended'))
      await Promise.allSettled(running)
      await copy[Symbol.asyncDispose]()
    },
  }
}

function isLocal({ sandbox }: { readonly sandbox?: unknown }): boolean {
  return typeof sandbox === 'object' && sandbox !== null && 'isolation' in sandbox && sandbox.isolation === 'none'
}

const isHealthy = ({ status, exitCode }: CommandResult): boolean => status === 'exited' && exitCode === 0

/** Reads the descriptions; there are none if the code removed the file. */
async function descriptions(copy: ProvisionedWorkspace, path: string): Promise<{ readonly [path: string]: unknown }> {
  try {
    const text = await copy.read(path, { maxBytes: maxReadBytes })
    const found: unknown = JSON.parse(text)
    return typeof found === 'object' && found !== null ? { ...found } : {}
  } catch {
    return {}
  }
}

/** Waits until a socket exists. */
async function listening(
  socket: string,
  language: IsolatedLanguage,
  result: Promise<CommandResult>,
  signal: AbortSignal,
): Promise<void> {
  let ended: CommandResult | undefined
  result.then(
    (one) => {
      ended = one
    },
    () => undefined,
  )
  const end = performance.now() + startMs
  while (lstatSync(socket, { throwIfNoEntry: false })?.isSocket() !== true) {
    signal.throwIfAborted()
    if (ended !== undefined) throw notStarted(language, ended)
    if (performance.now() > end) throw notStartedFor(language, 'it does not listen')
    await setTimeout(pauseMs)
  }
}

/** Gives the socket to the tests, unless the code has removed it. */
function connect(socket: string, target: string, language: IsolatedLanguage): void {
  try {
    linkSync(socket, target)
  } catch (thrown) {
    throw notStartedFor(language, failureOf(thrown).message)
  }
}

function notStarted(language: IsolatedLanguage, { failure, stderr }: CommandResult): JuristError<'not-started'> {
  return notStartedFor(language, failure?.message ?? (stderr.trim().split('\n').at(-1) || 'it does not say why'))
}

function notStartedFor(language: IsolatedLanguage, reason: string): JuristError<'not-started'> {
  const command = programs[language].serve.join(' ')
  return new JuristError('not-started', `The process of the code under test could not be started: ${reason}`, {
    command,
  })
}

/**
 * Reads what the tests of a directory could not pass to the code or get from it, as the programs among them noted it.
 */
export function unfitIn(root: string): readonly string[] {
  const place = join(root, connectingDirectory, 'unfit.jsonl')
  if (lstatSync(place, { throwIfNoEntry: false })?.isFile() !== true) return []
  const lines = readFileSync(place, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  return lines.slice(0, mostNotes).map((line) => String(JSON.parse(line)))
}

const mostNotes = 100
