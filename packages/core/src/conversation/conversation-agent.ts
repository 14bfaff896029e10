import type { JournalEvent } from '../agent.js'
import type { Json } from '../json.js'
import type { ToolStep } from '../tool-step.js'
import type { Turn } from '../turn.js'
import type { Usage } from '../usage.js'
import type { WritableWorkspace } from '../workspace.js'

/** What an agent answers in a conversation. A string is a text of unknown cost. */
export interface Reply {
  readonly text: string
  /** The tool calls before it. Default: what the agent noted with `record`. */
  readonly steps?: readonly ToolStep[]
  /** What the agent wants to find in the session of its next turn. Default: what it found in this one. */
  readonly state?: Json
  readonly usage?: Usage
  /** US dollars. 0: free. Absent: not declared. */
  readonly costUsd?: number
  /** Whether the agent ends the conversation with this message. Default `false`. */
  readonly ends?: boolean
}

/** One turn of an agent in a conversation. */
export interface ConversationSession {
  /** What was said before `message`, with the history. */
  readonly turns: readonly Turn[]
  /** What the user says now. */
  readonly message: string
  readonly workspace: WritableWorkspace
  /** Fires when the agent must stop. */
  readonly signal: AbortSignal
  /** What the agent returned as `state` before; `null` at first. */
  readonly state: Json
  /** Notes what happens in this turn in the journal of the trial; never throws. */
  readonly record: (event: JournalEvent) => void
}

/**
 * An agent that talks: it gets one message after the other, and answers each. It never sees the scenario of its user.
 *
 * @example
 * import type { ConversationAgent } from '@jurist/core/conversation'
 *
 * const echo: ConversationAgent = ({ message, turns }) => `${turns.length / 2 + 1}: ${message}`
 */
export type ConversationAgent = (session: ConversationSession) => Reply | string | Promise<Reply | string>
