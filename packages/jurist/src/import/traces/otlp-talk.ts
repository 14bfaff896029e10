import type { JournalEvent } from '@jurist/core'
import type { Message } from './otlp-messages.js'
import { copiedMessage } from './trajectory.js'

/** What reading a conversation needs to remember. */
export interface Talk {
  readonly events: JournalEvent[]
  /** The messages of the user so far. */
  users: number
  lastPrompt: string | undefined
  /** Calls that have no result yet, and those that have. */
  readonly open: Map<string, string>
  readonly answered: Set<string>
}

type Add = (event: JournalEvent) => void

/** Takes what is new of the messages that a model or an agent was given. */
export function readInput(messages: readonly Message[], talk: Talk, add: Add): void {
  for (const { results } of messages)
    for (const [id, content] of results) {
      if (!talk.open.has(id) || talk.answered.has(id)) continue
      talk.answered.add(id)
      add({ type: 'tool-result', id, failed: false, content })
    }
  const users = messages.filter(({ role, text }) => role === 'user' && text !== '')
  const last = users.at(-1)
  if (last === undefined) return
  const isFirst = talk.users === 0
  if (!isFirst && users.length <= talk.users && last.text === talk.lastPrompt) return
  if (isFirst) readHistory(messages, last, add)
  else for (const { text } of users.slice(talk.users, -1)) add({ type: 'prompt', text })
  talk.users = Math.max(talk.users, users.length)
  talk.lastPrompt = last.text
  add({ type: 'prompt', text: last.text })
}

/** What was said before the trace began. */
function readHistory(messages: readonly Message[], last: Message, add: Add): void {
  for (const message of messages) {
    const { role, text } = message
    if (message === last) return
    if (text === '') continue
    if (role === 'system' || role === 'developer') add({ type: 'custom', name: 'system', data: { text } })
    else if (role === 'user') add({ type: 'custom', name: copiedMessage, data: { role: 'user', text } })
    else if (role === 'assistant') add({ type: 'custom', name: copiedMessage, data: { role: 'agent', text } })
  }
}
