import type { Judgment } from '../../judgment.js'
import { abstain } from '../../judgment.js'
import { meets } from '../../score.js'
import type { Asked, Conclusion, ReadAnswer } from './model-calls.js'
import type { Scale } from './weighted-score.js'
import { weightedScore } from './weighted-score.js'

/** A score as answers gave it. */
export interface ReadScore {
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
  ask: (sample: number) => Promise<Asked>,
  samples: number,
): Promise<readonly Asked[]> {
  const first = await ask(0)
  if (!first.answer.ok || first.answer.response.logprobs !== undefined) return [first]
  return [first, ...(await Promise.all(Array.from({ length: samples - 1 }, (_, index) => ask(index + 1))))]
}

interface Scoring {
  readonly scale: Scale
  readonly threshold: number
  readonly judge: (score: ReadScore) => Judgment
}

/**
 * What the scores in the answers come to. An abstention when none of them can be read, and when those that cannot be read
 * might change the verdict.
 */
export function scoreFrom(answers: readonly ReadAnswer[], { scale, threshold, judge }: Scoring): Conclusion {
  const read = answers.flatMap((answer) => numberOf(answer))
  const [first] = read
  if (first === undefined) {
    const { reasoning, metadata } = answers[0]?.judgment ?? abstain('no answer was given')
    return { judgment: abstain(reasoning, { metadata }) }
  }
  const sum = read.reduce((total, { number }) => total + number, 0)
  const unread = answers.length - read.length
  const passesAt = (each: number) =>
    meets(((sum + unread * each) / answers.length - scale.min) / (scale.max - scale.min), threshold)
  if (unread > 0 && passesAt(scale.min) !== passesAt(scale.max)) {
    const reasoning = `${unread} of ${answers.length} answers could not be read, and might change the verdict`
    return { judgment: abstain(reasoning, { metadata: { unread: 'none', samples: read.length } }) }
  }
  const weighted = Number.isInteger(first.number)
    ? weightedScore(first.number, answers[0]?.response.logprobs ?? [], scale)
    : undefined
  const { number: plainScore, reasoning } = first
  const value = weighted ?? within(sum / read.length, scale)
  const score = { value, plainScore, weighted: weighted !== undefined, samples: read.length, reasoning }
  return { judgment: judge(score), isOpen: false }
}

/** Rounding must not lead out of the scale. */
function within(value: number, { min, max }: Scale): number {
  return Math.min(max, Math.max(min, value))
}

function numberOf({ judgment: { score, reasoning } }: ReadAnswer): readonly { number: number; reasoning: string }[] {
  return score?.type === 'numerical' ? [{ number: score.value, reasoning }] : []
}
