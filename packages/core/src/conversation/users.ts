import { arrayOf, checkOptions, type OptionRule, option, optionInvalid } from '../options.js'
import { isTurn, type Turn } from '../turn.js'
import type { Usage } from '../usage.js'
import type { Scenario } from './scenario.js'

/** The next step of a user: it sends a message, or ends the conversation. Usage and cost are those of the user. */
export type UserMove = ({ readonly message: string } | { readonly stop: 'satisfied' | 'gave-up' | 'out-of-scope' }) & {
  readonly usage?: Usage
  /** US dollars. 0: free. Absent: not declared. */
  readonly costUsd?: number
  /** Deviations of its model from the request, such as a looser form of answers. The run warns of each once. */
  readonly notices?: readonly string[]
}

/**
 * The user of a conversation: chooses the next step from the messages so far. An exception is a failure of the
 * infrastructure, never of the agent.
 */
export interface SimulatedUser {
  (turns: readonly Turn[], scenario: Scenario, signal: AbortSignal): UserMove | Promise<UserMove>
  /** All messages that it will send, for a user that knows them before. */
  readonly script?: (scenario: Scenario) => readonly string[]
}

/**
 * Creates a user that sends these messages in order, whatever the agent says, and then stops, satisfied. If the agent
 * still waits for an answer when the script is over, that is a fault of the user: see `conversation`.
 *
 * @param messages for items whose scenario has no `messages` of its own. Default: none
 * @throws `option-invalid`
 *
 * @example
 * import { conversation, scriptedUser } from '@jurist/core/conversation'
 *
 * conversation(({ message }) => `You said: ${message}`, { user: scriptedUser(['Hello', 'Goodbye']) })
 */
export function scriptedUser(messages?: readonly string[]): SimulatedUser {
  if (messages !== undefined) checkOptions('scriptedUser', { messages }, { messages: script })
  return saying('scriptedUser', (scenario) => scenario.messages ?? messages ?? [])
}

const script: OptionRule = arrayOf('a non-empty array of strings', option.string, 1)

/**
 * Creates the user of a recorded conversation, with the same messages and the same end, whatever the agent answers now.
 * Use it to test a new agent with the very messages that an old one got.
 *
 * @param recorded the turns, or an invocation that has them, as trials store it
 * @throws `option-invalid` without a message of the user
 *
 * @example
 * import { conversation, replayUser } from '@jurist/core/conversation'
 *
 * const recorded = [{ role: 'user', text: 'Hello' }, { role: 'agent', text: 'Hi!' }] as const
 * conversation(({ message }) => message, { user: replayUser(recorded) })
 */
export function replayUser(
  recorded: readonly Turn[] | { readonly turns?: readonly Turn[]; readonly user?: { readonly ended: string } },
): SimulatedUser {
  const { turns = [], user } = Array.isArray(recorded)
    ? { turns: recorded, user: undefined }
    : (recorded as Exclude<typeof recorded, readonly Turn[]>)
  const said = turns.filter((turn) => isTurn(turn) && turn.role === 'user' && turn.isHistory === undefined)
  if (said.length === 0) optionInvalid('recorded', 'replayUser: there is no message of a user in what was recorded.')
  const texts = said.map(({ text }) => text)
  const ended = user?.ended === 'gave-up' || user?.ended === 'out-of-scope' ? user.ended : 'satisfied'
  return saying('replayUser', () => texts, ended)
}

function saying(
  name: string,
  textsOf: (scenario: Scenario) => readonly string[],
  stop: 'satisfied' | 'gave-up' | 'out-of-scope' = 'satisfied',
): SimulatedUser {
  // The opening of a scenario comes before the script.
  const script = (scenario: Scenario): readonly string[] => {
    const texts = textsOf(scenario)
    return scenario.opening === undefined || texts[0] === scenario.opening ? texts : [scenario.opening, ...texts]
  }
  const user: SimulatedUser = (turns, scenario) => {
    const said = turns.filter(({ role, isHistory }) => role === 'user' && isHistory === undefined).length
    const message = script(scenario)[said]
    return message === undefined ? { stop } : { message }
  }
  return Object.assign(Object.defineProperty(user, 'name', { value: name }), { script })
}
