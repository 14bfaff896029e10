import { isPlainObject } from './json.js'
import type { Usage } from './usage.js'

/** One message of a conversation. */
export interface Turn {
  readonly role: 'user' | 'agent'
  readonly text: string
  /** An ISO 8601 instant. */
  readonly at?: string
  readonly usage?: Usage
  /** US dollars. 0: free. Absent: not declared. */
  readonly costUsd?: number
  /** Whether the message was there before the conversation began: judges read it and do not judge it. */
  readonly isHistory?: true
}

/** Whether a value has the role and the text of a turn. */
export function isTurn(value: unknown): value is Turn {
  if (!isPlainObject(value)) return false
  const { role, text } = value
  return (role === 'user' || role === 'agent') && typeof text === 'string'
}
