import { failureOf, isPlainObject } from '@jurist/core/internal'
import { parseOrUndefined } from '@jurist/kit/json'

/**
 * Collects the lines of a stream of bytes; blank ones are left out. A line that becomes longer than `most` bytes is
 * reported as `null`, once and immediately, and its rest is skipped.
 */
export function lineReader(most: number, read: (line: string | null) => void): (bytes: Uint8Array) => void {
  let parts: Uint8Array[] = []
  let size = 0
  const keep = (bytes: Uint8Array) => {
    if (size <= most && size + bytes.length > most) read(null)
    size += bytes.length
    if (size > most) parts = []
    else parts.push(bytes)
  }
  return (bytes) => {
    let start = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      keep(bytes.subarray(start, end))
      const line = Buffer.concat(parts).toString('utf8')
      parts = []
      size = 0
      start = end + 1
      if (line.trim() !== '') read(line)
    }
    keep(bytes.subarray(start))
  }
}

/** The supported versions of the protocol, newest first. */
const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

export const rpcCodes = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
} as const

type RpcMessage = { readonly [key: string]: unknown }

export type RpcReply =
  | { readonly result: object }
  | { readonly error: { readonly code: number; readonly message: string } }

export interface RpcRequest {
  readonly params: RpcMessage
  /** Fires when the client cancels the request; the answer is then not sent. */
  readonly signal: AbortSignal
}

interface ServerParts {
  readonly name: string
  readonly version?: string
  /** For clients, such as `{ tools: {} }`. */
  readonly capabilities: object
  /** Keyed by name. `initialize` and `ping` are built in. */
  readonly methods: { readonly [method: string]: (request: RpcRequest) => RpcReply | Promise<RpcReply> }
  /** Called with the client's parameters of `initialize`. */
  readonly onInitialize?: (params: RpcMessage) => void
  /** Called for each message that needs no answer. */
  readonly onNotification?: (method: string) => void
}

/** One connection of a client. */
export interface Protocol {
  /** Returns the answer to a line; `undefined` if it needs none. `null`: the line was too long. Never rejects. */
  receive(line: string | null): Promise<RpcMessage | undefined>
  /** Returns a request to the client, and its answer, which rejects when the client refuses. */
  ask(method: string): { readonly message: RpcMessage; readonly answer: Promise<unknown> }
}

/** No content of a line ends the server. */
export function protocolOf(parts: ServerParts): Protocol {
  const pending = new Map<unknown, AbortController>()
  const { ask, take } = questions()
  const { methods } = parts

  async function called(id: unknown, method: string, params: RpcMessage): Promise<RpcMessage | undefined> {
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (run === undefined) return wrong(id, rpcCodes.method, 'this method is not offered')
    const controller = new AbortController()
    pending.set(id, controller)
    const reply = await replyOf(() => run({ params, signal: controller.signal }))
    pending.delete(id)
    if (controller.signal.aborted) return undefined
    return 'error' in reply ? wrong(id, reply.error.code, reply.error.message) : right(id, reply.result)
  }

  function answer(id: unknown, method: unknown, params: RpcMessage): Promise<RpcMessage | undefined> | RpcMessage {
    if (method === 'ping') return right(id, {})
    if (method === 'initialize') {
      parts.onInitialize?.(params)
      return right(id, greeting(parts, params['protocolVersion']))
    }
    return called(id, String(method), params)
  }

  function notified(method: unknown, params: RpcMessage): undefined {
    if (method === 'notifications/cancelled') pending.get(params['requestId'])?.abort(new Error('cancelled'))
    parts.onNotification?.(String(method))
  }

  return {
    async receive(line) {
      const message = messageIn(line)
      if ('error' in message) return message.error
      const { id, method } = message.read
      const params = isPlainObject(message.read['params']) ? message.read['params'] : {}
      if (method === undefined && id !== undefined) return take(message.read)
      if (id === undefined) return notified(method, params)
      if (typeof id !== 'string' && typeof id !== 'number') return wrong(null, rpcCodes.request, 'the id is not one')
      return answer(id, method, params)
    },
    ask,
  }
}

/** The requests of this side, and the responses of the client. */
function questions(): Pick<Protocol, 'ask'> & { readonly take: (message: RpcMessage) => undefined } {
  const asked = new Map<unknown, (message: RpcMessage) => void>()
  let count = 0
  return {
    take(message) {
      asked.get(message['id'])?.(message)
    },
    ask(method) {
      count += 1
      const id = `server-${count}`
      const answer = new Promise((resolve, reject) => {
        asked.set(id, (message) => {
          asked.delete(id)
          if ('result' in message) resolve(message['result'])
          else reject(new Error(`the client refuses ${method}`))
        })
      })
      return { message: { jsonrpc: '2.0', id, method }, answer }
    },
  }
}

async function replyOf(run: () => RpcReply | Promise<RpcReply>): Promise<RpcReply> {
  try {
    return await run()
  } catch (thrown) {
    return { error: { code: rpcCodes.internal, message: failureOf(thrown).message } }
  }
}

/** The message of a line, or the error that answers it. */
function messageIn(line: string | null): { readonly read: RpcMessage } | { readonly error: RpcMessage } {
  if (line === null) return { error: wrong(null, rpcCodes.request, 'the message is too long') }
  const message = parseOrUndefined(line)
  if (message === undefined) return { error: wrong(null, rpcCodes.parse, 'the message is not JSON') }
  return isPlainObject(message) && message['jsonrpc'] === '2.0'
    ? { read: message }
    : { error: wrong(null, rpcCodes.request, 'the message is not a JSON-RPC 2.0 object') }
}

const right = (id: unknown, result: object): RpcMessage => ({ jsonrpc: '2.0', id, result })
const wrong = (id: unknown, code: number, message: string): RpcMessage => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})

function greeting({ name, version = '1.0.0', capabilities }: ServerParts, asked: unknown): object {
  const protocolVersion = versions.find((one) => one === asked) ?? versions[0]
  return { protocolVersion, capabilities, serverInfo: { name, version } }
}

/** Text for a model, and the value itself for programs. An error is a result, so that a model can read it. */
export function toolResult(output: unknown, isError = false): object {
  const content = [{ type: 'text', text: typeof output === 'string' ? output : JSON.stringify(output) }]
  if (isError) return { content, isError: true }
  return isPlainObject(output) ? { content, structuredContent: output } : { content }
}
