import {
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createConnection, type Socket } from 'node:net'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { blamed, type CommandResult, type JsonObject, JuristError, type Workspace } from '@jurist/core'
import { anySignal, failureOf, isPlainObject } from '@jurist/core/internal'
import { copyOf } from '../../copy.js'
import { settingsOf } from '../../workspace-settings.js'
import { rootsOf } from '../command-evidence.js'
import { clearTheWay } from '../overlay.js'

/** The languages whose code can run apart from its tests. */
export type IsolatedLanguage = 'javascript' | 'python'

/** The directory, in both copies, of the programs that connect them. */
export const connectingDirectory = '.jurist-code'

interface Programs {
  /** The server command, without its arguments. */
  readonly serve: readonly string[]
  /** The files beside the code, and those beside the tests. */
  readonly code: readonly `#isolated/${string}`[]
  readonly tests: readonly `#isolated/${string}`[]
}

const programs: { readonly [language in IsolatedLanguage]: Programs } = {
  javascript: {
    serve: ['node', 'serve.mjs'],
    code: ['#isolated/serve.mjs', '#isolated/code.mjs', '#isolated/load-types.mjs', '#isolated/values.cjs'],
    tests: [
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
    code: ['#isolated/serve.py', '#isolated/code_side.py', '#isolated/values.py'],
    tests: ['#isolated/values.py', '#isolated/client.py'],
  },
}

/** The names of the sockets in the connecting directory. */
const socketNames: { readonly [language in IsolatedLanguage]: string } = { javascript: 'js', python: 'python' }

const { resolve } = createRequire(import.meta.url)

/** Writes the programs of one side into a workspace. Code that ran there may have left links, which are not followed. */
export function installPrograms(root: string, language: IsolatedLanguage, side: 'code' | 'tests'): void {
  clearTheWay(root, `${connectingDirectory}/-`)
  mkdirSync(join(root, connectingDirectory), { recursive: true })
  for (const file of programs[language][side]) {
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
  /** Starts a process for the code of a language. */
  serve(language: IsolatedLanguage): Promise<ServedCode>
}

/** A process to which `codeSession` connects. Disposing it ends it and everything it started, even if the code loops. */
export interface ServedCode extends AsyncDisposable {
  /** Lets the tests of another directory connect to it. */
  connect(tests: { readonly root: string }): void
}

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
  // Process ids are different inside a sandbox.
  const parent = isLocal(copy) ? String(process.pid) : '0'
  const ending = new AbortController()
  const running: Promise<CommandResult>[] = []
  return {
    root: copy.root,
    async serve(language) {
      installPrograms(copy.root, language, 'code')
      const socket = socketNames[language]
      const socketOf = ({ root }: { readonly root: string }) => join(root, connectingDirectory, socket)
      // Modules of JavaScript are loaded before the tests begin: both have the whole time.
      const shares = language === 'javascript' ? 2 : 1
      const limits = { timeoutMs: shares * timeoutMs, cpuMs: cpuMs === null ? null : shares * cpuMs }
      const words = [
        ...programs[language].serve.map((word) => (/\.\w+$/.test(word) ? place(word) : word)),
        ...[parent, String(Math.ceil(limits.timeoutMs) + startMs), place(socket)],
      ]
      const stopping = new AbortController()
      const stopped = anySignal([signal, ending.signal, stopping.signal])
      const result = copy.run(words, { cwd, env, ...limits, maxOutputBytes: 65_536, signal: stopped })
      running.push(result)
      await listening(socketOf(copy), language, result, signal)
      return {
        connect(tests) {
          // Modules that were described may have changed the programs.
          installPrograms(copy.root, language, 'code')
          connect(socketOf(copy), socketOf(tests), language)
        },
        async [Symbol.asyncDispose]() {
          stopping.abort(new Error('the code is loaded again'))
          await Promise.allSettled([result])
          rmSync(socketOf(copy), { force: true })
        },
      }
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
    await pause(pauseMs)
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

/** A process that has not loaded any code yet and answers requests. */
export interface CodeSession extends Disposable {
  /**
   * Sends one request. The answer has `value`, `thrown` or `unfit`; `ended` if the process is gone, or `late` if it did
   * not answer in time. After these two, the session is over.
   */
  ask(message: JsonObject, timeoutMs: number): Promise<JsonObject>
  /** Lets the process end. Returns whether it did within this time: code in a loop does not notice. */
  end(withinMs: number): Promise<boolean>
}

const mostCharacters = 16 * 1024 * 1024

/**
 * Connects to the process of a `codeProcess`, which starts a separate process for this session. That process loads the
 * files as they are now.
 */
export function codeSession(root: string, language: IsolatedLanguage): CodeSession {
  const replies = repliesOf()
  const socket = connected(join(root, connectingDirectory), socketNames[language])
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  let text = ''
  let last = 0
  socket.setEncoding('utf8')
  socket.on('error', ({ message }) => replies.end({ ended: message }))
  socket.on('close', () => replies.end({ ended: 'the connection is closed' }))
  socket.on('data', (data) => {
    text += data
    if (text.length > mostCharacters) socket.destroy()
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) replies.take(parsed(line))
  })
  return {
    async ask(message, timeoutMs) {
      const timer = setTimeout(() => replies.end({ late: timeoutMs }), timeoutMs)
      socket.write(`${JSON.stringify({ ...message, id: ++last })}\n`)
      const first = await replies.next(undefined)
      const reply = first['pending'] === undefined ? first : await replies.next(first['pending'])
      clearTimeout(timer)
      return reply
    },
    async end(withinMs) {
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        socket.destroy()
      }, withinMs)
      socket.end()
      await closed
      clearTimeout(timer)
      return !isLate
    },
    [Symbol.dispose]: () => socket.destroy(),
  }
}

/** In bytes. Systems allow 104 or 108 for the path of a socket. */
const longestPath = 100

/** On Linux, a socket with a long path is reached through its directory, which is open. */
function connected(directory: string, name: string): Socket {
  const path = join(directory, name)
  if (process.platform !== 'linux' || Buffer.byteLength(path) <= longestPath) return createConnection(path)
  const opened = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY)
  return createConnection(`/proc/self/fd/${opened}/${name}`).once('close', () => closeSync(opened))
}

/**
 * Collects replies as they arrive. Settlements have a number; all other replies come in order. After the end, there are
 * no more.
 */
function repliesOf() {
  const arrived = new Map<unknown, JsonObject>()
  const waiting = new Map<unknown, (reply: JsonObject) => void>()
  let over: JsonObject | undefined
  function end(reply: JsonObject): void {
    over ??= reply
    for (const settle of waiting.values()) settle(over)
  }
  function take(reply: JsonObject): void {
    if (reply['ended'] !== undefined) end(reply)
    const number = reply['settled']
    const settle = waiting.get(number)
    if (settle === undefined) arrived.set(number, reply)
    else settle(reply)
  }
  async function next(number: unknown): Promise<JsonObject> {
    const known = over ?? arrived.get(number)
    arrived.delete(number)
    const reply = known ?? (await new Promise<JsonObject>((resolve) => waiting.set(number, resolve)))
    waiting.delete(number)
    return reply
  }
  return { end, take, next }
}

function parsed(line: string): JsonObject {
  try {
    const reply: unknown = JSON.parse(line)
    return isPlainObject(reply) ? (reply as JsonObject) : { ended: 'an answer that is not an object' }
  } catch {
    return { ended: 'an answer that is not JSON' }
  }
}
