import { realpathSync, statSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import {
  inputProblems,
  lineReader,
  protocolOf,
  type RpcReply,
  type RpcRequest,
  rpcCodes,
  toolResult,
} from '@jurist/bridges/internal'
import { type JsonObject, JuristError } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import { semaphore } from '@jurist/kit/semaphore'
import type { McpPlace, McpTool } from './tools.js'
import { judgingTools, resultTools, runDocument } from './tools.js'

/** The directories that a client allows this server to read. */
interface ClientRoots {
  /** Reads the first message of the client. */
  begin(params: { readonly [name: string]: unknown }): void
  /** Handles a change of the client's roots. */
  forget(): void
  /**
   * Returns a directory within the roots, after resolving links. Default: the first root.
   *
   * @throws `usage-invalid` for a directory that is outside or does not exist
   */
  directory(given: string | undefined): Promise<string>
}

/**
 * The roots of a client, requested until it names some. For a client without roots, the working directory is the root.
 */
function clientRoots(cwd: string, ask: () => Promise<unknown>): ClientRoots {
  let hasRoots = false
  let roots: Promise<readonly string[]> | undefined
  return {
    begin({ capabilities }) {
      hasRoots = isPlainObject(capabilities) && isPlainObject(capabilities.roots)
    },
    forget() {
      roots = undefined
    },
    async directory(given) {
      if (!hasRoots) return directoryWithin([realpathSync(cwd)], given)
      roots ??= ask().then(rootsIn)
      const known = await roots
      // A client that was too slow is asked again.
      if (known.length === 0) roots = undefined
      return directoryWithin(known, given)
    },
  }
}

/** Returns the real paths of the roots in an answer. Roots that are not local directories are left out. */
function rootsIn(answer: unknown): readonly string[] {
  const roots = isPlainObject(answer) && Array.isArray(answer.roots) ? answer.roots : []
  return roots.flatMap((root: unknown) => {
    const uri = isPlainObject(root) ? root.uri : undefined
    if (typeof uri !== 'string' || !uri.startsWith('file:')) return []
    try {
      const path = realpathSync(fileURLToPath(uri))
      return statSync(path).isDirectory() ? [path] : []
    } catch {
      return []
    }
  })
}

function directoryWithin(roots: readonly string[], given = '.'): string {
  const [first] = roots
  if (first === undefined)
    throw usageInvalid('directory', 'The client names no directory of this machine as a root. Add one to it.')
  const wanted = resolve(first, given)
  const real = realPath(wanted)
  if (real === undefined || !statSync(real).isDirectory())
    throw usageInvalid('directory', `${given} is not a directory. Name one within: ${roots.join(', ')}`)
  if (roots.some((root) => isWithin(root, real))) return real
  throw usageInvalid(
    'directory',
    `${given} is outside of the roots of the client. Name one within: ${roots.join(', ')}`,
  )
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '..' && !way.startsWith(`..${sep}`)
}

const maxMessageBytes = 4_194_304
/** The maximum number of concurrent calls. */
const concurrency = 4
/** The time limit for a client to name its roots. */
const rootsMs = 30_000

interface Serving {
  readonly version: string
  /** The directory that may be judged if the client names no roots. */
  readonly cwd: string
  readonly place: Omit<McpPlace, 'directory'>
  /** Tools in addition to those of every server. */
  readonly more: { readonly [name: string]: McpTool }
  readonly input: Readable
  /** Sends one line. */
  readonly send: (line: string) => void
}

/** Answers a client until its messages end. */
export async function serve(serving: Serving): Promise<void> {
  const { input } = serving
  const running = new Set<Promise<void>>()
  const { receive, close } = server(serving)
  const take = lineReader(maxMessageBytes, (line) => {
    const answered = receive(line)
    running.add(answered)
    void answered.finally(() => running.delete(answered))
  })
  for await (const chunk of input) take(chunk as Uint8Array)
  close()
  await Promise.all(running)
}

function server({ version, cwd, place, more, send }: Serving) {
  const tools: { readonly [name: string]: McpTool } = { ...judgingTools, ...resultTools, ...more }
  const ended = new AbortController()
  const places = semaphore(concurrency)
  const write = (message: object) => send(`${JSON.stringify(message)}\n`)
  const roots = clientRoots(cwd, async () => {
    const { message, answer } = protocol.ask('roots/list')
    write(message)
    return Promise.race([answer.catch(() => undefined), silence(ended.signal)])
  })
  const whole: McpPlace = { ...place, directory: roots.directory }

  async function called({ params, signal }: RpcRequest): Promise<RpcReply> {
    const { name, arguments: given = {} } = params
    const tool = typeof name === 'string' && Object.hasOwn(tools, name) ? tools[name] : undefined
    if (tool === undefined) return invalid(`there is no tool ${JSON.stringify(name)}: ${Object.keys(tools).join(', ')}`)
    const problems = isPlainObject(given) ? inputProblems(tool.input, given) : ['the input must be an object']
    if (problems.length > 0) return { result: toolResult(`Invalid input: ${problems.join('; ')}.`, true) }
    const either = AbortSignal.any([signal, ended.signal])
    return places.run(() => answered(() => tool.run(given as JsonObject, whole, either)))
  }

  const protocol = protocolOf({
    name: 'jurist',
    version,
    capabilities: { tools: {}, resources: {} },
    methods: {
      'tools/list': () => ({ result: { tools: Object.entries(tools).map(listed) } }),
      'tools/call': called,
      'resources/list': () => resourceList(place),
      'resources/templates/list': () => ({ result: { resourceTemplates: [runTemplate] } }),
      'resources/read': ({ params }) => resource(place, params['uri']),
    },
    onInitialize: roots.begin,
    onNotification(method) {
      if (method === 'notifications/roots/list_changed') roots.forget()
    },
  })

  return {
    async receive(line: string | null): Promise<void> {
      const message = await protocol.receive(line)
      if (message !== undefined) write(message)
    },
    close: () => ended.abort(new Error('The client disconnected.')),
  }
}

/** Resolves when a client has not answered in time. */
function silence(ended: AbortSignal): Promise<undefined> {
  const late = AbortSignal.any([AbortSignal.timeout(rootsMs), ended])
  return new Promise((resolve) => late.addEventListener('abort', () => resolve(undefined), { once: true }))
}

const invalid = (message: string): RpcReply => ({ error: { code: rpcCodes.params, message } })

/** A mistake of a user or a model is an answer for the client; anything else is an error of the server. */
async function answered(run: () => Promise<string | object>): Promise<RpcReply> {
  try {
    return { result: toolResult(await run()) }
  } catch (thrown) {
    if (!JuristError.is(thrown)) throw thrown
    return { result: toolResult(thrown.message, true) }
  }
}

function listed([name, { description, input, isOpenWorld = false, changes = false }]: readonly [
  string,
  McpTool,
]): object {
  return {
    name,
    description,
    inputSchema: input,
    annotations: { readOnlyHint: !changes, destructiveHint: false, openWorldHint: isOpenWorld },
  }
}

const runUri = 'jurist://runs/'
const runTemplate = { uriTemplate: `${runUri}{id}`, name: 'run', mimeType: 'application/json' }

async function resourceList({ store }: Pick<McpPlace, 'store'>): Promise<RpcReply> {
  const resources: object[] = []
  for await (const { id, experimentName } of (await store()).list({ limit: 100 }))
    resources.push({ uri: `${runUri}${id}`, name: `${experimentName} ${id}`, mimeType: 'application/json' })
  return { result: { resources } }
}

async function resource({ findRun }: Pick<McpPlace, 'findRun'>, uri: unknown): Promise<RpcReply> {
  if (typeof uri !== 'string' || !uri.startsWith(runUri))
    return invalid('resources/read needs a uri jurist://runs/<id>')
  try {
    const text = JSON.stringify(runDocument(await findRun(uri.slice(runUri.length))))
    return { result: { contents: [{ uri, mimeType: 'application/json', text }] } }
  } catch (thrown) {
    if (!JuristError.is(thrown)) throw thrown
    return invalid(thrown.message)
  }
}
