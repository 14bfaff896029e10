import type { JudgmentContext } from '../../context.js'
import type { AbstainJudgment, Judgment } from '../../judgment.js'
import { abstain } from '../../judgment.js'
import { scoreLine } from '../classifiers/score-line.js'
import type { JudgeModelResponse } from '../model.js'
import type { Answer } from './model-calls.js'
import type { Scale } from './weighted-score.js'
import { weightedScore } from './weighted-score.js'

/** A score as answers gave it. */
export interface ReadScore {
  readonly status: 'read'
  readonly value: number
  /** The first number, as it was written. */
  readonly plainScore: number
  /** Whether the value was weighted by log-probabilities. */
  readonly weighted: boolean
  /** How many answers could be read. */
  readonly samples: number
  readonly reasoning: string
}

/** Asks once, and as often as is left, all at once, when the answer brought no log-probabilities. */
export async function sampledScores(
  ask: (sample: number) => Promise<Answer>,
  samples: number,
): Promise<readonly Answer[]> {
  const first = await ask(0)
  if (!first.ok || first.response.logprobs !== undefined) return [first]
  return [first, ...(await Promise.all(Array.from({ length: samples - 1 }, (_, index) => ask(index + 1))))]
}

/** The score in the answers; an abstention when none of them can be read. */
export async function scoreFrom(
  responses: readonly JudgeModelResponse[],
  scale: Scale,
  context: JudgmentContext,
): Promise<ReadScore | AbstainJudgment> {
  const line = scoreLine({ ...scale, passingAt: 0 })
  const judgments = await Promise.all(responses.map((response) => line(response, context)))
  const read = judgments.flatMap(numberOf)
  const [first] = read
  if (first === undefined) {
    const { reasoning, metadata } = judgments[0] ?? abstain('no answer was given')
    return abstain(reasoning, { metadata })
  }
  const mean = read.reduce((sum, { number }) => sum + number, 0) / read.length
  const weighted = Number.isInteger(first.number)
    ? weightedScore(first.number, responses[0]?.logprobs ?? [], scale)
    : undefined
  return {
    status: 'read',
    value: weighted ?? within(mean, scale),
    plainScore: first.number,
    weighted: weighted !== undefined,
    samples: read.length,
    reasoning: first.reasoning,
  }
}

/** Rounding must not lead out of the scale. */
function within(value: number, { min, max }: Scale): number {
  return Math.min(max, Math.max(min, value))
}

function numberOf({ score, reasoning }: Judgment): readonly { readonly number: number; readonly reasoning: string }[] {
  return score?.type === 'numerical' ? [{ number: score.value, reasoning }] : []
}
