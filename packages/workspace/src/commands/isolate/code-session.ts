import { createConnection } from 'node:net'
import { join } from 'node:path'
import type { JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { connectingDirectory, type IsolatedLanguage, socketNames } from './code-process.js'

/** A process that has loaded none of the code yet, and does what it is asked. */
export interface CodeSession extends Disposable {
  /**
   * Asks one thing. The answer has `value`, `thrown` or `unfit`; `ended`, when the process is gone, or `late`, when it did
   * not answer in time. After these two the session is over.
   */
  ask(message: JsonObject, timeoutMs: number): Promise<JsonObject>
}

const mostCharacters = 16 * 1024 * 1024

/**
 * Connects with the process of a `codeProcess`, which starts one of its own for this session: it loads the files as they
 * are now.
 */
export function codeSession(root: string, language: IsolatedLanguage): CodeSession {
  const socket = createConnection(join(root, connectingDirectory, socketNames[language]))
  const waiting = new Set<(reply: JsonObject) => void>()
  const early = new Map<unknown, JsonObject>()
  let over: JsonObject | undefined
  let text = ''
  let last = 0
  const end = (reply: JsonObject) => {
    over ??= reply
    for (const take of waiting) take(over)
  }
  const receive = (line: string) => {
    const reply = parsed(line)
    if (reply['ended'] !== undefined) return end(reply)
    if (reply['settled'] !== undefined) early.set(reply['settled'], reply)
    for (const take of [...waiting]) take(reply)
  }
  socket.setEncoding('utf8')
  socket.on('error', ({ message }) => end({ ended: message }))
  socket.on('close', () => end({ ended: 'the connection is closed' }))
  socket.on('data', (data) => {
    text += data
    if (text.length > mostCharacters) {
      socket.destroy()
      return
    }
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    lines.forEach(receive)
  })
  /** The next reply that is meant: a settlement by its number, anything else in turn. */
  const next = (settlement: unknown, deadline: Promise<JsonObject>): Promise<JsonObject> => {
    const known = over ?? (settlement === undefined ? undefined : early.get(settlement))
    if (known !== undefined) return Promise.resolve(known)
    let take = (_: JsonObject) => {}
    const reply = new Promise<JsonObject>((resolve) => {
      take = (one) => {
        if (one === over || one['settled'] === settlement) resolve(one)
      }
    })
    waiting.add(take)
    return Promise.race([reply, deadline]).finally(() => waiting.delete(take))
  }
  return {
    async ask(message, timeoutMs) {
      if (over !== undefined) return over
      let timer: NodeJS.Timeout | undefined
      const deadline = new Promise<JsonObject>((resolve) => {
        timer = setTimeout(() => resolve({ late: timeoutMs }), timeoutMs)
      })
      socket.write(`${JSON.stringify({ ...message, id: ++last })}\n`)
      const first = await next(undefined, deadline)
      const reply = first['pending'] === undefined ? first : await next(first['pending'], deadline)
      clearTimeout(timer)
      if (reply['late'] !== undefined) end(reply)
      return reply
    },
    [Symbol.dispose]: () => socket.destroy(),
  }
}

function parsed(line: string): JsonObject {
  try {
    const reply: unknown = JSON.parse(line)
    return isPlainObject(reply) ? (reply as JsonObject) : { ended: 'an answer that is not an object' }
  } catch {
    return { ended: 'an answer that is not JSON' }
  }
}
