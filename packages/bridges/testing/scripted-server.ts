import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Json, JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { chatAnswer, messagesAnswer } from './chat-protocols.js'
import { responsesAnswer } from './responses-protocol.js'
import type {
  ScriptedAnswer,
  ScriptedEvent,
  ScriptedRequest,
  ScriptedTurn,
  UnexpectedRequest,
} from './scripted-turn.js'

const answers: {
  readonly [protocol in ScriptedRequest['protocol']]: (request: ScriptedRequest, turn: ScriptedTurn) => ScriptedAnswer
} = { chat: chatAnswer, responses: responsesAnswer, messages: messagesAnswer }

/** The turn defines the delay, the speed and where the answer breaks off. */
async function sendTurn(response: ServerResponse, request: ScriptedRequest, turn: ScriptedTurn): Promise<void> {
  await pause(turn.delayMs ?? 0, response)
  if (response.destroyed) return
  const { type, text } = bodyFor(request, turn)
  response.writeHead(turn.status ?? 200, {
    'content-type': type,
    'request-id': `scripted-${request.index}`,
    ...turn.headers,
  })
  response.flushHeaders()
  if (turn.cut === 'after-headers') return breakOff(response)
  const bytes = new TextEncoder().encode(text)
  const kept = turn.cut === 'mid-stream' ? bytes.subarray(0, Math.ceil(bytes.length / 2)) : bytes
  await sendSlowly(response, kept, turn.trickleMs ?? 0)
  if (turn.cut === 'mid-stream') return breakOff(response)
  response.end()
}

function bodyFor(request: ScriptedRequest, turn: ScriptedTurn): { readonly type: string; readonly text: string } {
  const { body, status = 200 } = turn
  if (body !== undefined)
    return { type: 'application/json', text: typeof body === 'string' ? body : JSON.stringify(body) }
  if (status >= 300) return { type: 'application/json', text: JSON.stringify(errorBody(request, status)) }
  const { json, events } = answers[request.protocol](request, turn)
  if (request.body['stream'] === true)
    return { type: 'text/event-stream; charset=utf-8', text: events.map(eventText).join('') }
  return { type: 'application/json', text: JSON.stringify(json) }
}

function eventText({ name, data }: ScriptedEvent): string {
  const line = `data: ${eventData(data)}\n\n`
  return name === undefined ? line : `event: ${name}\n${line}`
}

function eventData(data: Json): string {
  return data === '[DONE]' ? data : JSON.stringify(data)
}

/** Anthropic's names of failures. */
const errorTypes: { readonly [status: number]: string } = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

function errorBody({ protocol }: ScriptedRequest, status: number): JsonObject {
  const error = { type: errorTypes[status] ?? 'api_error', message: `scripted status ${status}` }
  return protocol === 'messages' ? { type: 'error', error } : { error: { ...error, param: null, code: null } }
}

const slowPieces = 16

async function sendSlowly(response: ServerResponse, bytes: Uint8Array, overMs: number): Promise<void> {
  const pieces = overMs > 0 ? slowPieces : 1
  const size = Math.max(1, Math.ceil(bytes.length / pieces))
  for (let start = 0; start < bytes.length && !response.destroyed; start += size) {
    if (start > 0) await pause(overMs / pieces, response)
    if (response.destroyed) return
    await new Promise<void>((resolve) => response.write(bytes.subarray(start, start + size), () => resolve()))
  }
}

/** Does not wait for a client that has gone. */
function pause(ms: number, response: ServerResponse): Promise<void> {
  if (ms <= 0) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      response.off('close', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    response.once('close', done)
  })
}

/** Sends what was written, and ends the connection without ending the answer. */
function breakOff(response: ServerResponse): void {
  setImmediate(() => response.destroy())
}

/** A model server on the loopback interface that answers by a script. Disposing it breaks off open connections. */
export interface ScriptedServer extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123`, without a path. */
  readonly url: string
  /** In order of arrival. */
  readonly requests: readonly ScriptedRequest[]
  /** Requests to other paths, which get 404. */
  readonly unexpected: readonly UnexpectedRequest[]
}

/**
 * Starts a server that speaks OpenAI chat completions (`…/chat/completions`), OpenAI responses (`…/responses`) and
 * Anthropic messages (`…/messages`, `…/messages/count_tokens`), as JSON or as a stream of events as requested, and
 * lists one model (`…/models`). Every answer charges `scriptedUsage`.
 *
 * @param script returns the answer to a request; if it throws, the request gets 400 and its message
 */
export async function scriptedServer(script: (request: ScriptedRequest) => ScriptedTurn): Promise<ScriptedServer> {
  const { createServer } = await import('node:http')
  const requests: ScriptedRequest[] = []
  const unexpected: UnexpectedRequest[] = []
  const server = createServer((incoming, response) => {
    answer(incoming, response, { script, requests, unexpected }).catch((thrown: unknown) =>
      response.destroy(thrown instanceof Error ? thrown : undefined),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    unexpected,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

interface Serving {
  readonly script: (request: ScriptedRequest) => ScriptedTurn
  readonly requests: ScriptedRequest[]
  readonly unexpected: UnexpectedRequest[]
}

const protocols: { readonly [ending: string]: ScriptedRequest['protocol'] } = {
  '/chat/completions': 'chat',
  '/responses': 'responses',
  '/messages': 'messages',
}

async function answer(incoming: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const { method = 'GET', url: path = '/' } = incoming
  const { pathname } = new URL(path, 'http://127.0.0.1')
  const body = await bodyOf(incoming)
  const ending = Object.keys(protocols).find((known) => pathname.endsWith(known)) ?? ''
  const protocol = protocols[ending]
  const headers = headersOf(incoming)
  if (method === 'POST' && protocol !== undefined && body !== undefined) {
    const index = serving.requests.length
    const request: ScriptedRequest = { protocol, path, index, headers, body, tools: toolNames(body) }
    serving.requests.push(request)
    return sendTurn(response, request, turnOf(serving.script, request))
  }
  if (method === 'GET' && pathname.endsWith('/models')) return sendJson(response, 200, modelList)
  if (method === 'POST' && pathname.endsWith('/messages/count_tokens'))
    return sendJson(response, 200, { input_tokens: 100 })
  serving.unexpected.push({ method, path, index: serving.unexpected.length, headers, body: body ?? {} })
  return sendJson(response, 404, { error: { type: 'not_found_error', message: `nothing is scripted for ${pathname}` } })
}

const modelList: JsonObject = {
  object: 'list',
  data: [{ id: 'scripted', object: 'model', type: 'model', created: 0, owned_by: 'jurist', display_name: 'Scripted' }],
  has_more: false,
}

function turnOf(script: Serving['script'], request: ScriptedRequest): ScriptedTurn {
  try {
    return script(request)
  } catch (thrown) {
    return { status: 400, body: { error: { message: `the script threw: ${String(thrown)}` } } }
  }
}

/** `undefined` for a body that is not a JSON object. */
async function bodyOf(incoming: IncomingMessage): Promise<JsonObject | undefined> {
  const chunks: Uint8Array[] = []
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array)
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    return isPlainObject(body) ? (body as JsonObject) : undefined
  } catch {
    return undefined
  }
}

function headersOf({ headers }: IncomingMessage): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

/** In each protocol a tool has a name, or its function has one; a tool of the service has only a type. */
function toolNames({ tools }: JsonObject): readonly string[] {
  if (!Array.isArray(tools)) return []
  return tools.map(({ name, function: inner, type }: JsonObject) => {
    const own = name ?? (isPlainObject(inner) ? inner['name'] : undefined) ?? type
    return String(own)
  })
}

function sendJson(response: ServerResponse, status: number, json: JsonObject): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
}
