import type { Judge } from '../judge.js'
import { abstain, fail, type Judgment, pass } from '../judgment.js'
import { json } from '../llm/classifiers/json.js'
import {
  listForm,
  numberForm,
  objectForm,
  optionalForm,
  schemaOf,
  textForm,
  wordForm,
} from '../llm/judges/answer-form.js'
import { modelled } from '../llm/judges/model-base.js'
import { prompted } from '../llm/judges/prompted.js'
import { modelCalls } from '../llm/model-calls.js'
import { described, nonBlank, type OptionDescriptions, option } from '../options.js'
import type { Turn } from '../turn.js'
import { turnsAsData } from './conversation-data.js'
import { missingTurns, type NumberedTurn, ownTurns, shareJudgment } from './own-turns.js'
import { checkTalkBase, describeTalkJudge, type TalkBase } from './talk-base.js'

interface TurnVerdict {
  readonly turn: number
  readonly holds: 'yes' | 'no'
  readonly why?: string
}

const form = objectForm<{ readonly verdicts: readonly TurnVerdict[] }>({
  verdicts: listForm(
    objectForm<TurnVerdict>({ turn: numberForm(0), holds: wordForm('yes', 'no'), why: optionalForm(textForm) }),
  ),
})

interface TurnQuestion extends TalkBase {
  readonly name: string
  /** Completes "Decide for each of these messages of the agent whether …". */
  readonly holds: string
  readonly threshold: number
  /** The number of the agent's turns that one call decides. */
  readonly window: number
}

/**
 * One call for each window of turns shows the conversation up to the last of them. The score is the share of the turns
 * that hold. A response without exactly one answer for each turn abstains.
 */
function turnVerdicts(question: TurnQuestion): Judge {
  const { ask, conclude } = modelCalls(question)
  const judge: Judge = async (context) => {
    const missing = missingTurns(context)
    if (missing !== undefined) return missing
    const windows = windowsOf(ownTurns(context.turns ?? [], 'agent'), question.window)
    const calls = windows.map((turns) => ask(callFor(question, context.turns ?? [], turns), context))
    return conclude(context, await Promise.all(calls), (answers) => ({
      judgment: shareOf(
        answers.map(({ judgment }) => judgment),
        question.threshold,
      ),
    }))
  }
  return modelled(judge, question)
}

function windowsOf(turns: readonly NumberedTurn[], size: number): readonly (readonly NumberedTurn[])[] {
  const count = Math.ceil(turns.length / size)
  return Array.from({ length: count }, (_, index) => turns.slice(index * size, (index + 1) * size))
}

function callFor({ holds }: TurnQuestion, all: readonly Turn[], turns: readonly NumberedTurn[]) {
  const numbers = turns.map(({ number }) => number)
  const prompt = prompted({
    ask:
      'You are shown a conversation between a user and an AI agent; the marks of each message carry its number. Decide for each ' +
      `of these messages of the agent whether ${holds} Messages: ${numbers.join(', ')}.`,
    data: turnsAsData(all, numbers.at(-1)),
    answer:
      'Answer with JSON and nothing else: {"verdicts": [{"turn": <its number>, "holds": "yes" or "no", "why": <one short ' +
      'sentence>}, …]}, one entry for each of these messages.',
  })
  const read = json(schemaOf(form.read), ({ verdicts }) => windowJudgment(verdicts, numbers))
  return { prompt, read, options: { responseSchema: form.schema } }
}

/** Only the checks of this judgment are used. */
function windowJudgment(verdicts: readonly TurnVerdict[], numbers: readonly number[]): Judgment {
  const byTurn = new Map(verdicts.map((verdict) => [verdict.turn, verdict]))
  if (verdicts.length !== numbers.length || !numbers.every((number) => byTurn.has(number)))
    return abstain('the turns do not have one answer each', { metadata: { unread: 'none' } })
  const checks = numbers.map((number) => {
    const { holds, why = '' } = byTurn.get(number) ?? { holds: 'no' }
    return { name: `turn-${number}`, passed: holds === 'yes', message: why }
  })
  const say = checks.every(({ passed }) => passed) ? pass : fail
  return say('the turns were judged', { checks })
}

function shareOf(windows: readonly Judgment[], threshold: number): Judgment {
  const unread = windows.find(({ status }) => status === 'abstain')
  if (unread !== undefined) return unread
  return shareJudgment({ what: 'turns', checks: windows.flatMap(({ checks }) => checks), threshold })
}

/** Options of the judges that ask about each turn. */
export interface TurnJudgeOptions extends TalkBase {
  /** The share of the agent's turns that must hold. Default 1: every turn. */
  readonly threshold?: number
  /** The number of the agent's turns that one call decides. Default 10. */
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
 * Asks a model whether each turn of the agent keeps to its role and stays within what the role allows.
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

describeTalkJudge(keepsRole, 'a model says that each turn of the agent keeps to its role', roleRules, ['role'])

/**
 * Asks a model whether each turn of the agent answers the user: whether it is relevant to the conversation so far.
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

describeTalkJudge(relevantTurns, 'a model says that each turn of the agent takes up what the user said', shared)

const whatRules: OptionDescriptions<Omit<Parameters<typeof notAsked>[0], keyof TalkBase>> = {
  ...shared,
  what: described(nonBlank, 'What the agent must not ask for, in words.'),
}

/**
 * Asks a model whether each turn of the agent refrains from asking the user for something.
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

describeTalkJudge(notAsked, 'a model says that the agent never asks the user for something', whatRules, ['what'])
