import { arrayOf, type FieldRules, hasFields, type OptionRule, option } from './options.js'
import { type ToolStep, toolStepsRule } from './tool-step.js'
import type { Usage } from './usage.js'

/** One message of a conversation. */
export interface Turn {
  readonly role: 'user' | 'agent'
  readonly text: string
  /** The agent's tool calls before this message. Absent: none, or not known. */
  readonly steps?: readonly ToolStep[]
  /** An ISO 8601 instant. */
  readonly at?: string
  readonly usage?: Usage
  /** US dollars. 0: free. Absent: not declared. */
  readonly costUsd?: number
  /** `true`: the message was there before the conversation began. Judges read it but do not judge it. */
  readonly isHistory?: true
}

/** A fault of the user in a conversation. */
export interface UserFault {
  /** For example `stopped-early`. */
  readonly name: string
  /** The number of the message, from 1. 0: the conversation as a whole. */
  readonly turn: number
  readonly message: string
}

/** The user's part in a conversation. Its usage and cost are not the agent's. */
export interface UserPart {
  /** Why the conversation ended: the user's reason, or the party or limit that ended it. */
  readonly ended: 'satisfied' | 'gave-up' | 'out-of-scope' | 'agent' | 'max-turns' | 'user-fault' | 'failure'
  /** The faults that were found. */
  readonly faults: readonly UserFault[]
  /** Whether the requested audit examined the conversation. `false`: only the built-in rules did. */
  readonly audited: boolean
  readonly usage?: Usage
  /** US dollars, including those of the audit. 0: free. Absent: not declared. */
  readonly costUsd?: number
}

/** The work an experiment does on a conversation after its jury has judged. */
export interface HeldConversation {
  /** The share of passed trials that are audited. Failed trials are always audited. */
  readonly ofPassed: number
  /** Deviations of the models of the user and the audit, such as a looser form of answers. */
  readonly notices: ReadonlySet<string>
  /**
   * Returns the user's part with the findings and the cost of an audit. Rejects when the audit fails. Absent: there is
   * nothing to audit.
   */
  readonly audit?: (signal: AbortSignal) => Promise<UserPart>
}

/**
 * The key under which `conversation` marks its invocations. The part of a user is trusted only with this key, since an
 * agent could blame a user for its own failure and JSON cannot have a symbol as a key. Copies of an invocation keep it.
 */
export const heldConversation: unique symbol = Symbol('held conversation')

export interface Held {
  readonly [heldConversation]?: HeldConversation
}

export function isTurn(value: unknown): value is Turn {
  return hasFields(value, fields, ['steps'])
}

const fields: FieldRules = { role: option.oneOf('user', 'agent'), text: option.string, steps: toolStepsRule }

export const turnsRule: OptionRule = arrayOf('an array of turns with a role and a string "text"', { holds: isTurn })
