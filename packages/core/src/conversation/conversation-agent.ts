import type { JournalEvent } from '../agent.js'
import type { Json } from '../json.js'
import type { ToolStep } from '../tool-step.js'
import type { Turn } from '../turn.js'
import type { Usage } from '../usage.js'
import type { WritableWorkspace } from '../workspace.js'

/** The answer of an agent in a conversation. A string is an answer of unknown cost. */
export interface Reply {
  readonly text: string
  /** The agent's tool calls before this answer. Default: those it recorded with `record`. */
  readonly steps?: readonly ToolStep[]
  /** The state for the session of the agent's next turn. Default: the state of this one. */
  readonly state?: Json
  readonly usage?: Usage
  /** US dollars. 0: free. Absent: not declared. */
  readonly costUsd?: number
  /** Whether the agent ends the conversation with this message. Default `false`. */
  readonly ends?: boolean
}

/** One turn of an agent in a conversation. */
export interface ConversationSession {
  /** The messages before `message`, including the history. */
  readonly turns: readonly Turn[]
  /** The user's new message. */
  readonly message: string
  readonly workspace: WritableWorkspace
  /** Fires when the agent must stop. */
  readonly signal: AbortSignal
  /** The last `state` that the agent returned; `null` at first. */
  readonly state: Json
  /** Records an event of this turn in the journal of the trial. Never throws. */
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
