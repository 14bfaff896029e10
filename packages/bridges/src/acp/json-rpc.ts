import type { JuristError } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { parseObject } from '@jurist/kit/json'
import { pause } from '@jurist/kit/retry-pause'
import '../errors.js'
import { protocolError } from '../coding/failures.js'
import { lineReader } from '../mcp/protocol.js'
import type { StartedProcess } from './shape.js'

/** 32 MiB. */
const maxLineBytes = 33_554_432

export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code = 'agent-failed'
  readonly rpcCode: number
  /** The HTTP status that caused it, if the agent reports one. */
  readonly status: unknown

  constructor(rpcCode: number, message: string, data: unknown) {
    super(message)
    this.rpcCode = rpcCode
    this.status = isPlainObject(data) ? (data['status'] ?? errorKinds[String(data['errorKind'])]) : undefined
  }
}

/** The error kinds of Claude's adapters, which report no HTTP status. */
const errorKinds: { readonly [kind: string]: number } = {
  authentication_failed: 401,
  billing_error: 402,
  oauth_org_not_allowed: 403,
  rate_limit: 429,
  server_error: 500,
  overloaded: 529,
}

export interface RpcListener {
  notified(method: string, params: unknown): void
  /** Answers a request of the agent; `undefined` for an unknown method. */
  requested(method: string, params: unknown): Promise<object> | undefined
  noise(line: string): void
  /** The last output of the agent, for error messages. */
  lastWords(): Promise<string>
}

/** A JSON-RPC 2.0 connection with one message per line. */
export interface RpcConnection {
  /** Rejects with `RpcError`, or with `agent-protocol` when the connection breaks. */
  request(method: string, params: object): Promise<unknown>
  notify(method: string, params: object): void
  /** Closes our side after everything is written. Does not wait for an agent that does not read. */
  close(): void
}

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (reason: unknown) => void
}

const methodNotFound = -32_601
const internalError = -32_603
const tooEarly = 'it ended before it answered'
/** How long to read the remaining output of a process that has ended, in milliseconds. */
const drainMs = 500

/**
 * Lines that are not JSON are noise. A message that violates the protocol, or the end of the stream, rejects all
 * pending requests.
 */
export function rpcConnection(
  process: Pick<StartedProcess, 'input' | 'output' | 'ended'>,
  listener: RpcListener,
): RpcConnection {
  const writer = process.input.getWriter()
  const waiting = new Map<unknown, Waiting>()
  let broken: unknown
  let lastId = 0
  const send = (message: object) => {
    const line = `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
    // The end of its output shows that a process has ended.
    writer.write(new TextEncoder().encode(line)).catch(() => {})
  }
  const breakOff = (reason: unknown) => {
    broken ??= reason
    for (const { reject } of waiting.values()) reject(reason)
    waiting.clear()
  }
  const receive = (message: { readonly [key: string]: unknown }) => {
    const { id, method, params } = message
    if (typeof method !== 'string') settle(waiting, message)
    else if (id === undefined) listener.notified(method, params)
    else void respond(listener.requested(method, params), id, send)
  }
  readMessages(process.output, listener, receive).then(breakOff, breakOff)
  // A child of the ended process may keep its output open.
  const isOver = process.ended.then(() => pause(drainMs))
  isOver.then(() => violation(listener, tooEarly)).then(breakOff, breakOff)
  return {
    request: (method, params) =>
      new Promise((resolve, reject) => {
        if (broken !== undefined) return reject(broken)
        lastId += 1
        waiting.set(lastId, { resolve, reject })
        send({ id: lastId, method, params })
      }),
    notify: (method, params) => send({ method, params }),
    close: () => {
      writer.close().catch(() => {})
    },
  }
}

/** Resolves to the reason when there is nothing more to read. */
async function readMessages(
  output: ReadableStream<Uint8Array>,
  listener: RpcListener,
  receive: (message: { readonly [key: string]: unknown }) => void,
): Promise<JuristError> {
  let problem: string | undefined
  const take = lineReader(maxLineBytes, (line) => {
    if (problem !== undefined) return
    const message = line === null ? undefined : parseObject(line)
    if (line === null) problem = `it sent a message of more than ${maxLineBytes} bytes`
    else if (message === undefined) listener.noise(line)
    else if (message['jsonrpc'] === '2.0') receive(message)
    else problem = 'it sent a message that is not JSON-RPC 2.0'
  })
  const reader = output.getReader()
  while (problem === undefined) {
    const { done, value } = await reader.read()
    take(value ?? lineBreak)
    if (done) problem ??= tooEarly
  }
  return violation(listener, problem)
}

async function violation({ lastWords }: RpcListener, reason: string): Promise<JuristError> {
  return protocolError(reason, await lastWords())
}

const lineBreak = Uint8Array.of(10)

function settle(waiting: Map<unknown, Waiting>, message: { readonly [key: string]: unknown }): void {
  const asked = waiting.get(message['id'])
  waiting.delete(message['id'])
  const error = message['error']
  if (isPlainObject(error)) asked?.reject(new RpcError(Number(error['code']), String(error['message']), error['data']))
  else asked?.resolve(message['result'])
}

async function respond(
  answer: Promise<object> | undefined,
  id: unknown,
  send: (message: object) => void,
): Promise<void> {
  try {
    if (answer === undefined) send({ id, error: { code: methodNotFound, message: 'this method is not offered' } })
    else send({ id, result: await answer })
  } catch {
    send({ id, error: { code: internalError, message: 'the request could not be answered' } })
  }
}
