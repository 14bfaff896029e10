import type { TokenAlternative, TokenLogprob } from '../model.js'

/** The range of whole numbers that a model may give. */
export interface Scale {
  readonly min: number
  readonly max: number
}

const wholeNumber = /^-?\d+$/
const leastProbability = 0.01
const roundingAboveZero = 1e-6

/**
 * The expected score, as the model weighed its alternatives for the last token that is the score it gave: the sum of
 * each whole number on the scale times its probability, over the sum of the probabilities. Alternatives below one per
 * cent are left out, equal numbers are added. From Y. Liu et al., "G-Eval: NLG Evaluation using GPT-4 with Better Human
 * Alignment", EMNLP 2023.
 *
 * @returns `undefined` when no token is the score, or nothing is left to weigh
 */
export function weightedScore(
  score: number,
  logprobs: readonly TokenLogprob[],
  { min, max }: Scale,
): number | undefined {
  const token = logprobs.findLast(({ token: text }) => numberIn(text) === score)
  if (token === undefined) return undefined
  const weighed = alternativesOf(token).flatMap(({ token: text, logprob }) => {
    const number = numberIn(text)
    // JSON makes null of what is no finite number, and null would count as 0, which is certainty.
    const sound = Number.isFinite(logprob) && logprob <= roundingAboveZero
    const probability = sound ? Math.exp(Math.min(logprob, 0)) : 0
    const counts = number !== undefined && number >= min && number <= max && probability >= leastProbability
    return counts ? [{ number, probability }] : []
  })
  const total = weighed.reduce((sum, { probability }) => sum + probability, 0)
  if (total === 0) return undefined
  const mean = weighed.reduce((sum, { number, probability }) => sum + number * probability, 0) / total
  // Rounding must not lead out of the scale.
  return Math.min(max, Math.max(min, mean))
}

/** What could have stood in the place of a token, itself included. */
function alternativesOf(token: TokenLogprob): readonly TokenAlternative[] {
  return token.top.some(({ token: text }) => text === token.token) ? token.top : [...token.top, token]
}

function numberIn(token: string): number | undefined {
  const text = token.trim()
  return wholeNumber.test(text) ? Number(text) : undefined
}
