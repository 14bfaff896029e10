import { abstain, type Judgment } from '../../judgment.js'
import { meets } from '../../score.js'
import { alternativesOf, probabilityOf } from '../classifiers/label-probability.js'
import type { TokenLogprob } from '../model.js'
import type { Asked, Conclusion, ReadAnswer } from './model-calls.js'

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

/** Asks once, and the remaining times in parallel when the answer brought no log-probabilities. */
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

/** The range of whole numbers that a model may give. */
export interface Scale {
  readonly min: number
  readonly max: number
}

const wholeNumber = /^-?\d+$/
const leastProbability = 0.01

/**
 * The expected score, as the model weighed its alternatives for the last token that is the score it gave: the sum of
 * each whole number on the scale times its probability, over the sum of the probabilities. Alternatives below one per
 * cent are left out, equal numbers are added. From Y. Liu et al., "G-Eval: NLG Evaluation using GPT-4 with Better Human
 * Alignment", EMNLP 2023.
 *
 * @returns `undefined` when no token is the score, or nothing is left to weigh
 */
function weightedScore(score: number, logprobs: readonly TokenLogprob[], { min, max }: Scale): number | undefined {
  const token = logprobs.findLast(({ token: text }) => numberIn(text) === score)
  if (token === undefined) return undefined
  const weighed = alternativesOf(token).flatMap(({ token: text, logprob }) => {
    const number = numberIn(text)
    const probability = probabilityOf(logprob)
    const counts = number !== undefined && number >= min && number <= max && probability >= leastProbability
    return counts ? [{ number, probability }] : []
  })
  const total = weighed.reduce((sum, { probability }) => sum + probability, 0)
  if (total === 0) return undefined
  const mean = weighed.reduce((sum, { number, probability }) => sum + number * probability, 0) / total
  // Rounding must not lead out of the scale.
  return Math.min(max, Math.max(min, mean))
}

function numberIn(token: string): number | undefined {
  const text = token.trim()
  return wholeNumber.test(text) ? Number(text) : undefined
}
