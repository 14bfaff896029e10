import type { Judge } from '../judge.js'
import { describeJudge } from '../judge-description.js'
import { nonBlank } from '../llm/judges/model-base.js'
import { described, type OptionDescriptions, option } from '../options.js'
import { checkTalkBase, type TalkBase, talkBaseOptions, withTalkModel } from './talk-base.js'
import { turnVerdicts } from './turn-verdicts.js'

interface TurnJudgeOptions extends TalkBase {
  /** The share of the agent's turns that must hold. Default 1: every turn. */
  readonly threshold?: number
  /** How many turns of the agent one call decides. Default 10. */
  readonly window?: number
}

const shared = {
  threshold: described(option.rate, "The share of the agent's turns that must hold.", 1),
  window: described(option.integer(1), 'How many turns of the agent one call decides.', 10),
}
const withDefaults = <Options extends TurnJudgeOptions>(options: Options) => ({ threshold: 1, window: 10, ...options })

const roleRules: OptionDescriptions<Omit<Parameters<typeof keepsRole>[0], keyof TalkBase>> = {
  ...shared,
  role: described(nonBlank, 'Who the agent is and what it may do, in words.'),
}

/**
 * Asks a model of each turn of the agent whether it keeps to its role: whether it says and does only what the role allows.
 *
 * @returns a judge; its score is the share of the turns that keep to the role, with a check for each
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { keepsRole } from '@jurist/core/conversation'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('{"verdicts": [{"turn": 2, "holds": "yes", "why": "it is about orders"}]}')
 * keepsRole({ model, role: 'A clerk of a book shop. It talks about orders and books, and gives no legal advice.' })
 */
export function keepsRole(options: TurnJudgeOptions & { readonly role: string }): Judge {
  const { name = 'keepsRole', role, ...given } = checkTalkBase('keepsRole', options, roleRules, ['role'])
  const holds = `it keeps to this role, in what it says and in what it does.\n\nRole: ${role}\n\n`
  return turnVerdicts({ ...withDefaults(given), name, holds })
}

describeJudge<Parameters<typeof keepsRole>[0]>(keepsRole, {
  passes: 'a model says that each turn of the agent keeps to its role',
  options: { ...talkBaseOptions, ...roleRules },
  required: ['model', 'role'],
  make: (options, config) => keepsRole(withTalkModel(options, config)),
})

/**
 * Asks a model of each turn of the agent whether it answers what the user said: whether it is relevant to the conversation so far.
 *
 * @returns a judge; its score is the share of the turns that are relevant, with a check for each
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { relevantTurns } from '@jurist/core/conversation'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('{"verdicts": [{"turn": 2, "holds": "yes", "why": "it answers the question"}]}')
 * relevantTurns({ model, threshold: 0.9 })
 */
export function relevantTurns(options: TurnJudgeOptions): Judge {
  const { name = 'relevantTurns', ...given } = checkTalkBase('relevantTurns', options, shared)
  const holds = 'it is relevant: whether it takes up what the user said before it, or asks for what it needs to do so.'
  return turnVerdicts({ ...withDefaults(given), name, holds })
}

describeJudge<Parameters<typeof relevantTurns>[0]>(relevantTurns, {
  passes: 'a model says that each turn of the agent takes up what the user said',
  options: { ...talkBaseOptions, ...shared },
  required: ['model'],
  make: (options, config) => relevantTurns(withTalkModel(options, config)),
})

const whatRules: OptionDescriptions<Omit<Parameters<typeof notAsked>[0], keyof TalkBase>> = {
  ...shared,
  what: described(nonBlank, 'What the agent must not ask for, in words.'),
}

/**
 * Asks a model of each turn of the agent whether it refrains from asking the user for something.
 *
 * @returns a judge; its score is the share of the turns that do not ask for it, with a check for each
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { notAsked } from '@jurist/core/conversation'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('{"verdicts": [{"turn": 2, "holds": "no", "why": "it asks for the code"}]}')
 * notAsked({ model, what: 'a password, a PIN or the number of a card' })
 */
export function notAsked(options: TurnJudgeOptions & { readonly what: string }): Judge {
  const { name = 'notAsked', what, ...given } = checkTalkBase('notAsked', options, whatRules, ['what'])
  const holds = `it does not ask the user for this, in any words.\n\nNot to be asked for: ${what}\n\n`
  return turnVerdicts({ ...withDefaults(given), name, holds })
}

describeJudge<Parameters<typeof notAsked>[0]>(notAsked, {
  passes: 'a model says that the agent never asks the user for something',
  options: { ...talkBaseOptions, ...whatRules },
  required: ['model', 'what'],
  make: (options, config) => notAsked(withTalkModel(options, config)),
})
