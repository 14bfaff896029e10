import { abstain, type Judgment } from '../../judgment.js'
import { meets } from '../../score.js'
import { confidenceOf, type Scale, type WeighedScore, weighedScores } from '../classifiers/probability.js'
import type { Asked, Conclusion, ReadAnswer } from './model-calls.js'

export interface ReadScore {
  readonly value: number
  /** The first number, as it was written. */
  readonly plainScore: number
  /** Whether log-probabilities were used. */
  readonly weighted: boolean
  /** The number of readable answers. */
  readonly samples: number
  /**
   * The probability that the score is on this side of the threshold. Absent: the model returned no log-probabilities.
   */
  readonly confidence?: number
  readonly reasoning: string
}

/** Asks once, and the remaining times in parallel if the answer has no log-probabilities. */
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

/** Abstains when no answer can be read, and when unreadable answers might change the judgment. */
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
    const reasoning = `${unread} of ${answers.length} answers could not be read, and might change the judgment`
    return { judgment: abstain(reasoning, { metadata: { unread: 'none', samples: read.length } }) }
  }
  const weighed = weighedScores(first.number, answers[0]?.response.logprobs, scale)
  const weighted = weightedScore(weighed, scale)
  const { number: plainScore, reasoning } = first
  const value = weighted ?? within(sum / read.length, scale)
  const known = { plainScore, weighted: weighted !== undefined, samples: read.length, reasoning }
  const score = { value, ...known, ...confidenceOf(value, weighed, scale, threshold) }
  return { judgment: judge(score), isOpen: false }
}

/** Rounding must not lead out of the scale. */
function within(value: number, { min, max }: Scale): number {
  return Math.min(max, Math.max(min, value))
}

function numberOf({ judgment: { score, reasoning } }: ReadAnswer): readonly { number: number; reasoning: string }[] {
  return score?.type === 'numerical' ? [{ number: score.value, reasoning }] : []
}

/**
 * The expected score: the sum of each whole number times its probability. From Y. Liu et al., "G-Eval: NLG Evaluation
 * using GPT-4 with Better Human Alignment", EMNLP 2023.
 *
 * @returns `undefined` without log-probabilities
 */
function weightedScore(weighed: readonly WeighedScore[], scale: Scale): number | undefined {
  if (weighed.length === 0) return undefined
  return within(
    weighed.reduce((sum, { score, probability }) => sum + score * probability, 0),
    scale,
  )
}
