import { hasFields } from './field-rules.js'
import { arrayOf, type FieldRules, type OptionRule, option } from './options.js'
import { type ToolStep, toolStepsRule } from './tool-step.js'
import type { Usage } from './usage.js'

/** One message of a conversation. */
export interface Turn {
  readonly role: 'user' | 'agent'
  readonly text: string
  /** The tool calls of the agent before it answered. Absent: not known, or none. */
  readonly steps?: readonly ToolStep[]
  /** An ISO 8601 instant. */
  readonly at?: string
  readonly usage?: Usage
  /** US dollars. 0: free. Absent: not declared. */
  readonly costUsd?: number
  /** Whether the message was there before the conversation began: judges read it and do not judge it. */
  readonly isHistory?: true
}

/** What the user of a conversation did wrong. */
export interface UserFault {
  /** Such as `stopped-early`. */
  readonly name: string
  /** The number of the message, from 1. 0: the conversation as a whole. */
  readonly turn: number
  readonly message: string
}

/** The user's part in a conversation. Its usage and cost are not the agent's. */
export interface UserPart {
  /** Why the conversation ended: what the user said, or who or what ended it. */
  readonly ended: 'satisfied' | 'gave-up' | 'out-of-scope' | 'agent' | 'max-turns' | 'user-fault' | 'failure'
  /** What the user did wrong, as far as it was looked for. */
  readonly faults: readonly UserFault[]
  /** Whether the audit that was asked for has looked at the conversation; `false`: only the built-in rules have. */
  readonly audited: boolean
  readonly usage?: Usage
  /** US dollars, with those of the audit. 0: free. Absent: not declared. */
  readonly costUsd?: number
}

/** What an experiment does with a conversation once its jury has judged. */
export interface HeldConversation {
  /** The share of passed trials that are audited; those that fail always are. */
  readonly ofPassed: number
  /** What the models of the user and of its audit did otherwise than asked, such as a looser form of answers. */
  readonly notices: ReadonlySet<string>
  /** The user's part with what an audit found and spent. Rejects when the audit fails. Absent: nothing is left to look at. */
  readonly audit?: (signal: AbortSignal) => Promise<UserPart>
}

/**
 * The key under which `conversation` marks its invocations. Only with it the part of a user is believed, since an agent could
 * blame a user for its own failure: no JSON has a symbol as a key. Copies of an invocation keep it.
 */
export const heldConversation: unique symbol = Symbol('held conversation')

/** An invocation that `conversation` made. */
export interface Held {
  readonly [heldConversation]?: HeldConversation
}

/** Whether a value has the role and the text of a turn. */
export function isTurn(value: unknown): value is Turn {
  return hasFields(value, fields, ['steps'])
}

const fields: FieldRules = { role: option.oneOf('user', 'agent'), text: option.string, steps: toolStepsRule }

/** Turns as an option. */
export const turnsRule: OptionRule = arrayOf('an array of turns with a role and a string "text"', { holds: isTurn })
