import type { WriteJournal } from '../run/journal.js'

/** What the answer of a run is: its last message, or all that was said. */
export type AnswerRule = 'last-message' | 'all'

/** What an agent said. */
export interface Messages {
  text(chunk: string, messageId: string | undefined): void
  thinking(chunk: string): void
  /** A tool call or a plan stands between messages that have no ids. */
  boundary(): void
  /** Tells the journal what has been gathered. */
  flush(): void
  answer(rule: AnswerRule): string
}

interface Message {
  readonly id: string | undefined
  text: string
}

/** Gathers the pieces in which an agent talks. */
export function messagesFor(write: WriteJournal): Messages {
  const messages: Message[] = []
  const gathered = { type: 'text' as 'text' | 'thinking', text: '' }
  let isOpen = false
  let isAfterBoundary = false
  let last: Message | undefined
  const flush = () => {
    if (gathered.text !== '') write({ type: gathered.type, text: gathered.text })
    gathered.text = ''
  }
  const gather = (type: 'text' | 'thinking', chunk: string) => {
    if (gathered.type !== type) flush()
    gathered.type = type
    gathered.text += chunk
  }
  return {
    text: (chunk, id) => {
      gather('text', chunk)
      const known = id === undefined ? (isOpen ? last : undefined) : messages.find((one) => one.id === id)
      last = known ?? { id, text: '' }
      if (known === undefined) messages.push(last)
      last.text += chunk
      isOpen = true
      isAfterBoundary = false
    },
    thinking: (chunk) => gather('thinking', chunk),
    boundary: () => {
      isOpen = false
      isAfterBoundary = true
    },
    flush,
    answer: (rule) => {
      if (rule === 'all') return messages.map(({ text }) => text).join('')
      // Without ids, what was said before the last tool call or plan is no answer.
      return last === undefined || (last.id === undefined && isAfterBoundary) ? '' : last.text
    },
  }
}
