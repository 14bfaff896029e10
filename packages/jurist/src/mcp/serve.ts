import type { Readable } from 'node:stream'
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
import { semaphore } from '@jurist/kit/semaphore'
import { clientRoots } from './client-roots.js'
import { judgingTools } from './judging-tools.js'
import type { McpPlace, McpTool } from './mcp-tool.js'
import { resultTools, runDocument } from './result-tools.js'

const tools: { readonly [name: string]: McpTool } = { ...judgingTools, ...resultTools }
const maxMessageBytes = 4_194_304
/** How many calls run at the same time. */
const concurrency = 4
/** How long a client has to name its roots. */
const rootsMs = 5_000

/** What a server is made of. */
export interface Serving {
  readonly version: string
  /** The directory that may be judged where the client names no roots. */
  readonly cwd: string
  readonly place: Omit<McpPlace, 'directory'>
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

function server({ version, cwd, place, send }: Serving) {
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
      'tools/list': () => ({ result: { tools: toolList } }),
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
    close: () => ended.abort(new Error('The client has gone.')),
  }
}

/** The end of the wait for a client that does not answer. */
function silence(ended: AbortSignal): Promise<undefined> {
  const late = AbortSignal.any([AbortSignal.timeout(rootsMs), ended])
  return new Promise((resolve) => late.addEventListener('abort', () => resolve(undefined), { once: true }))
}

const invalid = (message: string): RpcReply => ({ error: { code: rpcCodes.params, message } })

/** What a user or a model did wrong is an answer to read; anything else is an error of the server. */
async function answered(run: () => Promise<string | object>): Promise<RpcReply> {
  try {
    return { result: toolResult(await run()) }
  } catch (thrown) {
    if (!JuristError.is(thrown)) throw thrown
    return { result: toolResult(thrown.message, true) }
  }
}

const toolList = Object.entries(tools).map(([name, { description, input, isOpenWorld = false }]) => ({
  name,
  description,
  inputSchema: input,
  annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: isOpenWorld },
}))

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
