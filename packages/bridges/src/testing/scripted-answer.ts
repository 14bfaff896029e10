import type { ServerResponse } from 'node:http'
import type { Json, JsonObject } from '@jurist/core'
import { chatAnswer } from './chat-protocol.js'
import { messagesAnswer } from './messages-protocol.js'
import { responsesAnswer } from './responses-protocol.js'
import type { ScriptedAnswer, ScriptedEvent, ScriptedRequest, ScriptedTurn } from './scripted-turn.js'

const answers: {
  readonly [protocol in ScriptedRequest['protocol']]: (request: ScriptedRequest, turn: ScriptedTurn) => ScriptedAnswer
} = { chat: chatAnswer, responses: responsesAnswer, messages: messagesAnswer }

/** Sends one scripted answer, as late, as slowly and as incompletely as the turn says. */
export async function sendTurn(response: ServerResponse, request: ScriptedRequest, turn: ScriptedTurn): Promise<void> {
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

/** The names that Anthropic gives to failures. */
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

/** Waits, but not for a client that has gone. */
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

/** Ends the connection without ending the answer, once what was written is out. */
function breakOff(response: ServerResponse): void {
  setImmediate(() => response.destroy())
}
