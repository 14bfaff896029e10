import type { JudgmentContext } from '../context.js'
import { isPlainObject } from '../json.js'
import { giveInfo, type Judge } from '../judge.js'
import { answerLine } from '../llm/classifiers/labels.js'
import { modelled } from '../llm/judges/model-base.js'
import { prompted, reasonsFirst } from '../llm/judges/prompted.js'
import { modelCalls } from '../llm/model-calls.js'
import { described, nonBlank, type OptionDescriptions } from '../options.js'
import { turnsAsData } from './conversation-data.js'
import { missingTurns } from './own-turns.js'
import { checkTalkBase, describeTalkJudge, type TalkBase } from './talk-base.js'

const shown =
  'You are shown a conversation between a user and an AI agent; the marks of each message carry its number. Judge the agent.'

const criterionRules: OptionDescriptions<Omit<Parameters<typeof conversationCriteria>[0], keyof TalkBase>> = {
  criterion: described(nonBlank, 'What the conversation must satisfy, as a sentence.'),
}

/**
 * Asks a model whether a whole conversation satisfies one criterion, yes or no. Each message is data within separate
 * marks. Abstains when the trial is not a conversation.
 *
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { conversationCriteria } from '@jurist/core/conversation'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('Answer: YES')
 * conversationCriteria({ model, criterion: 'The agent asks for a confirmation before it cancels anything.' })
 */
export function conversationCriteria(options: TalkBase & { readonly criterion: string }): Judge {
  const given = checkTalkBase('conversationCriteria', options, criterionRules, ['criterion'])
  const { name = 'conversationCriteria', criterion, ...base } = given
  const ask = `${shown} Does the conversation satisfy this criterion?\n\nCriterion: ${criterion}`
  return giveInfo(
    ofConversation({ ...base, name }, () => ({ ask, data: {} })),
    { options: { criterion } },
  )
}

describeTalkJudge(
  conversationCriteria,
  'a model says that the whole conversation satisfies the criterion',
  criterionRules,
  ['criterion'],
)

const goalRules: OptionDescriptions<Omit<Parameters<typeof goalReached>[0], keyof TalkBase>> = {
  goal: described(nonBlank, "What the user wants. Default: the goal of the item's scenario, else its task."),
}

/**
 * Asks a model whether the user reached their goal by the end of the conversation. The model sees only the messages: an
 * agent that claims to have done something has not proven it. Where the final state is accessible, add a judge of it.
 *
 * @param options `goal`: default that of the item's `metadata.scenario`, or else the task
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { goalReached } from '@jurist/core/conversation'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('Answer: YES')
 * goalReached({ model, goal: 'Order 7 is cancelled.' })
 */
export function goalReached(options: TalkBase & { readonly goal?: string }): Judge {
  const { name = 'goalReached', goal, ...base } = checkTalkBase('goalReached', options, goalRules)
  const ask =
    `${shown} Did the user reach its goal by the end of the conversation? An agent that only announces or promises an ` +
    'action has not reached it.'
  const judge = ofConversation({ ...base, name }, (context) => ({ ask, data: { goal: goal ?? goalOf(context) } }))
  return giveInfo(judge, { options: { goal } })
}

describeTalkJudge(
  goalReached,
  'a model says that the user reached their goal by the end of the conversation',
  goalRules,
)

function goalOf({ goal, metadata }: JudgmentContext): string {
  const { scenario } = metadata
  const own = isPlainObject(scenario) ? scenario['goal'] : undefined
  return typeof own === 'string' ? own : goal
}

interface ConversationQuestion {
  readonly ask: string
  /** Added to the turns. */
  readonly data: { readonly [name: string]: string }
}

/** Does not ask the model if there is no question. */
function ofConversation(
  given: TalkBase & { readonly name: string },
  question: (context: JudgmentContext) => ConversationQuestion,
): Judge {
  const calls = modelCalls(given)
  const judge: Judge = (context) => {
    const missing = missingTurns(context)
    if (missing !== undefined) return missing
    const { ask, data } = question(context)
    const answer = `${reasonsFirst}: "Answer: YES" when it is so, "Answer: NO" when it is not.`
    const prompt = prompted({ ask, data: { ...data, ...turnsAsData(context.turns ?? []) }, answer })
    return calls.judge({ prompt, read: answerLine() }, context)
  }
  return modelled(judge, given)
}
