import type { ExecutionStatus } from './context.js'
import type { Failure } from './errors.js'
import type { JournalEvent } from './journal-event.js'
import type { Json, JsonObject } from './json.js'
import type { AgentOutput } from './output.js'
import type { Turn, UserPart } from './turn.js'
import type { Usage } from './usage.js'
import type { WritableWorkspace } from './workspace.js'

export type { JournalEvent, Turn, UserPart }

/** The task of an agent, and where to do it. Only `prompt`, `workspace` and `signal` are always present. */
export interface AgentTask {
  readonly prompt: string
  /**
   * The input of the item as data: the row without its expected answer and its labels, or the `input` that the item
   * declares. Absent: the item has no input besides the prompt.
   */
  readonly input?: JsonObject | undefined
  readonly workspace: WritableWorkspace
  /** Fires when the agent must stop. */
  readonly signal: AbortSignal
  readonly systemPrompt?: string
  readonly model?: string
  /** The time in milliseconds after which `signal` fires, for agents that plan ahead. */
  readonly timeoutMs?: number
  /** Variables to add to the agent's own environment. */
  readonly env?: { readonly [name: string]: string }
  /** An absolute directory outside the workspace for the agent's own files. */
  readonly runDirectory?: string
  readonly metadata?: { readonly [key: string]: unknown }
  /** Records an event while the agent works. Never throws. */
  readonly record?: (event: JournalEvent) => void
}

export const executionStatuses: { readonly [status in Invocation['status']]: ExecutionStatus } = {
  completed: 'success',
  refused: 'refused',
  timeout: 'timeout',
  error: 'failed',
  cancelled: 'cancelled',
}

export function isInvocationStatus(value: unknown): value is Invocation['status'] {
  return typeof value === 'string' && Object.hasOwn(executionStatuses, value)
}

/** The outcome of one call of an agent. `refused`: the agent ended by itself without doing the task. */
export interface Invocation {
  readonly status: 'completed' | 'refused' | 'timeout' | 'error' | 'cancelled'
  readonly output?: AgentOutput
  readonly failure?: Failure
  readonly elapsedMs?: number
  readonly usage?: Usage
  /** US dollars. 0: free. Absent: not declared. */
  readonly costUsd?: number
  readonly sessionId?: string
  /** Parts of the run, in order. Their usage is included in that of the invocation. */
  readonly phases?: readonly Phase[]
  /** The messages of a conversation, oldest first; `output` is the agent's last one. */
  readonly turns?: readonly Turn[]
  /** The simulated user's part in a conversation: how it ended, the user's faults and its cost. */
  readonly user?: UserPart
  readonly metadata?: { readonly [key: string]: unknown }
}

/**
 * The agent under test: one function, the same for bridges, experiments and judges.
 *
 * @example
 * import type { Agent } from '@jurist/core'
 *
 * const agent: Agent = async ({ workspace }) => {
 *   await workspace.write('README.md', '# Hello')
 *   return { status: 'completed' }
 * }
 */
export type Agent = (task: AgentTask) => Invocation | Promise<Invocation>

/** A tool call that an agent records. */
export interface ToolUse {
  readonly id: string
  readonly name: string
  readonly input: Json
}
/** The result of a tool call that an agent records. */
export interface ToolResult {
  readonly toolUseId: string
  readonly content: string
  readonly failed: boolean
}
/** One part of an agent's run, such as planning. */
export interface Phase {
  readonly name: string
  readonly prompt?: string
  readonly text?: string
  readonly usage?: Usage
  readonly costUsd?: number
  readonly elapsedMs?: number
  readonly apiMs?: number
  readonly turns?: number
  readonly sessionId?: string
  readonly failed?: boolean
  readonly toolUses?: readonly ToolUse[]
  readonly toolResults?: readonly ToolResult[]
}
