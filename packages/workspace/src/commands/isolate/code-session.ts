import { closeSync, constants, openSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { join } from 'node:path'
import type { JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { connectingDirectory, type IsolatedLanguage, socketNames } from './code-process.js'

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
