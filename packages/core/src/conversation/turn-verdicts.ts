import { optional, readCount, readList, readObject, readText, readWord } from '../decoders.js'
import type { Json } from '../json.js'
import type { Judge } from '../judge.js'
import { abstain, fail, type Judgment, pass } from '../judgment.js'
import { json } from '../llm/classifiers/json.js'
import { modelled, schemaOf } from '../llm/judges/model-base.js'
import { modelCalls } from '../llm/judges/model-calls.js'
import { prompted } from '../llm/judges/prompted.js'
import type { Turn } from '../turn.js'
import { turnsAsData } from './conversation-data.js'
import { missingTurns, type NumberedTurn, ownTurns } from './own-turns.js'
import { shareJudgment } from './share-of-turns.js'
import type { TalkBase } from './talk-base.js'

interface TurnVerdict {
  readonly turn: number
  readonly holds: 'yes' | 'no'
  readonly why?: string
}

const schema = schemaOf(
  readObject<{ readonly verdicts: readonly TurnVerdict[] }>({
    verdicts: readList(
      readObject<TurnVerdict>({ turn: readCount(0), holds: readWord('yes', 'no'), why: optional(readText) }),
    ),
  }),
)

/** The form of an answer, for models that can be held to one. */
const responseSchema: Json = {
  type: 'object',
  properties: {
    verdicts: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          turn: { type: 'integer' },
          holds: { type: 'string', enum: ['yes', 'no'] },
          why: { type: 'string' },
        },
        required: ['turn', 'holds', 'why'],
        additionalProperties: false,
      },
    },
  },
  required: ['verdicts'],
  additionalProperties: false,
}

/** What a judge asks about each turn of the agent. */
interface TurnQuestion extends TalkBase {
  readonly name: string
  /** Completes "Decide for each of these messages of the agent whether …". */
  readonly holds: string
  readonly threshold: number
  /** How many turns of the agent one call decides. */
  readonly window: number
}

/**
 * Asks a model the same about each turn of the agent: one call for each window of turns, which shows the conversation up to
 * the last of them. The score is the share of the turns that hold. An answer without exactly one verdict for each turn
 * abstains.
 */
export function turnVerdicts(question: TurnQuestion): Judge {
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
  const read = json(schema, ({ verdicts }) => windowJudgment(verdicts, numbers))
  return { prompt, read, options: { responseSchema } }
}

/** A judgment that only carries the checks of its turns. */
function windowJudgment(verdicts: readonly TurnVerdict[], numbers: readonly number[]): Judgment {
  const byTurn = new Map(verdicts.map((verdict) => [verdict.turn, verdict]))
  if (verdicts.length !== numbers.length || !numbers.every((number) => byTurn.has(number)))
    return abstain('the turns do not have one verdict each', { metadata: { unread: 'none' } })
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
