import type { Agent, AgentTask } from '../agent.js'
import { callsModelsOf } from '../made-of.js'
import { checkRequired, type OptionRule, option, optionInvalid } from '../options.js'
import { type Turn, turnsRule } from '../turn.js'
import type { ConversationAgent } from './conversation-agent.js'
import { talk } from './talk.js'
import type { UserAudit } from './user-audit.js'
import { type SimulatedUser, scriptedUser } from './users.js'

/** How a conversation is held. */
export interface ConversationOptions {
  /** Who talks with the agent: a function, or the messages of a scripted user. */
  readonly user: SimulatedUser | readonly string[]
  /** How many messages the user may send. Default 20. */
  readonly maxTurns?: number
  /** What was said before. Both sides see it; it is not judged and not counted. Default: nothing. */
  readonly history?: readonly Turn[]
  /**
   * Who looks at what the user did wrong, beside the built-in rules. `false`: neither it nor the rules. Default: the
   * rules only.
   */
  readonly audit?: UserAudit | false
  /** The share of the passed trials in which `audit` looks at the user; it looks at all others. Default 0.1. */
  readonly auditPassed?: number
}

const rules: { readonly [name in keyof Required<ConversationOptions>]: OptionRule } = {
  user: {
    wants: 'a user or an array of messages',
    holds: (value) => typeof value === 'function' || Array.isArray(value),
  },
  maxTurns: option.integer(1),
  history: turnsRule,
  audit: { wants: 'an audit, or false', holds: (value) => typeof value === 'function' || value === false },
  auditPassed: option.rate,
}

/**
 * An ordinary agent that holds a conversation: a simulated user talks with `agent` until one of them ends it, or the user has
 * sent `maxTurns` messages. The invocation has all messages as `turns`; its output is the agent's last one; usage and cost
 * are the agent's, and those of the user are in `user`. What the user throws is a failure of the infrastructure; what the
 * agent throws is the agent's.
 *
 * What the user wants comes from the item: its metadata `scenario`, or columns `goal`, `facts`, `opening` and so on; else the
 * task is the goal.
 *
 * A user that makes a mistake (see `modelAudit`, and the rules: an empty message, the same message again, a script longer than
 * `maxTurns`, a stop while the agent waits for a confirmation) leaves a trial of an experiment undecided and is counted in
 * `userFaults`. A user that never answers makes no such mistake: an agent that stalls is judged.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { conversation } from '@jurist/core/conversation'
 *
 * const agent = conversation(({ message }) => (message.includes('order 7') ? 'Order 7 is on its way.' : 'Which order?'), {
 *   user: ['Where is my order?', 'It is order 7.'],
 * })
 */
export function conversation(agent: ConversationAgent, options: ConversationOptions): Agent {
  if (typeof agent !== 'function') return optionInvalid('agent', 'conversation: the agent must be a function.')
  const given = checkRequired<ConversationOptions>('conversation', options, rules, ['user'])
  const { user, maxTurns = 20, history = [], audit, auditPassed = 0.1 } = given
  if (typeof user !== 'function' && user.length > maxTurns)
    optionInvalid('maxTurns', `conversation: the script has ${user.length} messages, and maxTurns is ${maxTurns}.`)
  const settings = {
    agent,
    user: typeof user === 'function' ? user : scriptedUser(user),
    maxTurns,
    history: history.map((turn) => ({ ...turn, isHistory: true as const })),
    audit,
    auditPassed,
  }
  const held: Agent = (task: AgentTask) => talk(settings, task)
  const members = [settings.user, ...(typeof audit === 'function' ? [audit] : [])]
  return callsModelsOf(Object.defineProperty(held, 'name', { value: agent.name || 'conversation' }), members)
}
