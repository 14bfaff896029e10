import {
  error,
  type Judgment,
  type JudgmentContext,
  judgmentContext,
  named,
  runJudge,
  type Verdict,
  verdictFromJson,
} from '@jurist/core'
import { failureOf, isJury } from '@jurist/core/internal'
import type { DatasetItem } from '../dataset/item.js'
import type { ItemFailure } from '../result/records.js'
import type { CalibrateSettings } from './calibrate-options.js'

/** What the candidate said of a context. */
interface Answer {
  readonly judgment: Judgment
  /** The judgment with all it rests on; `null` when a jury did not come to an end. */
  readonly verdict: Verdict | null
  /** Why there is no right answer: the context could not be made, or the candidate broke. */
  readonly failure: ItemFailure | null
}

/** What the candidate said of an item, and of the same with two places exchanged, mapped back. */
export interface Answers {
  readonly answer: Answer
  readonly swapped: Answer | null
}

/** Shows the candidate an item, and the first time swapped too. Never rejects. */
export async function askCandidate(
  settings: CalibrateSettings,
  item: DatasetItem,
  repetition: number,
  signal: AbortSignal,
): Promise<Answers> {
  let context: JudgmentContext
  try {
    context = judgmentContext({ ...(await settings.input(item, signal)), signal })
  } catch (thrown) {
    return { answer: unasked(thrown, 'There is no context to judge', 'setup'), swapped: null }
  }
  const answer = await answerOf(settings, context)
  const { swap } = settings
  return { answer, swapped: swap === undefined || repetition > 1 ? null : await swappedAnswer(settings, swap, context) }
}

async function swappedAnswer(
  settings: CalibrateSettings,
  swap: NonNullable<CalibrateSettings['swap']>,
  context: JudgmentContext,
): Promise<Answer> {
  try {
    const answer = await answerOf(settings, swap(context))
    return { ...answer, judgment: settings.unswap(answer.judgment) }
  } catch (thrown) {
    return unasked(thrown, 'The context could not be swapped', 'hook')
  }
}

async function answerOf(
  { candidate, candidateName, judgeTimeoutMs }: CalibrateSettings,
  context: JudgmentContext,
): Promise<Answer> {
  let voted: Verdict | null = null
  const judge = isJury(candidate)
    ? async (given: JudgmentContext) => {
        voted = verdictFromJson(await candidate.vote(given))
        return voted.aggregated
      }
    : candidate
  const judgment = await runJudge(named(judge, candidateName), context, { timeoutMs: judgeTimeoutMs })
  const failure: ItemFailure | null =
    judgment.status === 'error' ? { ...judgment.failure, origin: 'jury', infrastructure: false } : null
  return { judgment, verdict: isJury(candidate) ? voted : verdictOf(judgment, candidateName), failure }
}

/** A lone judge as a jury of one. */
function verdictOf(judgment: Judgment, name: string): Verdict {
  return verdictFromJson({
    aggregated: judgment,
    individual: { [name]: judgment },
    weights: { [name]: 1 },
    subVerdicts: {},
    usage: judgment.usage ?? {},
    ...(judgment.costUsd === undefined ? {} : { costUsd: judgment.costUsd }),
    elapsedMs: judgment.elapsedMs ?? 0,
  })
}

function unasked(thrown: unknown, what: string, origin: ItemFailure['origin']): Answer {
  const failure = failureOf(thrown)
  return {
    judgment: error(`${what}: ${failure.message}`, thrown),
    verdict: null,
    failure: { ...failure, origin, infrastructure: false },
  }
}
