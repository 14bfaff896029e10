import { meets } from '../../score.js'
import type { TokenLogprob } from '../model.js'
import { alternativesOf, probabilityOf } from './label-probability.js'

/** The range of whole numbers that a model may give. */
export interface Scale {
  readonly min: number
  readonly max: number
}

/** A score that the model might have given, with its probability among all of them. */
export interface WeighedScore {
  readonly score: number
  readonly probability: number
}

const wholeNumber = /^-?\d+$/
const leastProbability = 0.01

/**
 * The whole numbers on the scale that the model might have given, at the last token that is the score it gave. Alternatives below
 * one per cent are left out, and the others add up to 1.
 *
 * @returns an empty array where no token is the score, or nothing is left to weigh
 */
export function weighedScores(
  given: number,
  logprobs: readonly TokenLogprob[] | undefined,
  { min, max }: Scale,
): readonly WeighedScore[] {
  const token = logprobs?.findLast(({ token: text }) => numberIn(text) === given)
  if (token === undefined) return []
  const weighed = alternativesOf(token).flatMap(({ token: text, logprob }) => {
    const score = numberIn(text)
    const probability = probabilityOf(logprob)
    const counts = score !== undefined && score >= min && score <= max && probability >= leastProbability
    return counts ? [{ score, probability }] : []
  })
  const total = weighed.reduce((sum, { probability }) => sum + probability, 0)
  return weighed.map(({ score, probability }) => ({ score, probability: probability / total }))
}

function numberIn(token: string): number | undefined {
  const text = token.trim()
  return wholeNumber.test(text) ? Number(text) : undefined
}

/**
 * How sure the model is of the side of the threshold on which a score lies: the probability of all scores on that side, as
 * metadata; `{}` where nothing was weighed.
 */
export function confidenceOf(
  value: number,
  weighed: readonly WeighedScore[],
  { min, max }: Scale,
  threshold: number,
): { readonly confidence?: number } {
  if (weighed.length === 0) return {}
  const passes = (score: number) => meets((score - min) / (max - min), threshold)
  const side = weighed.filter(({ score }) => passes(score) === passes(value))
  return {
    confidence: Math.min(
      1,
      side.reduce((sum, { probability }) => sum + probability, 0),
    ),
  }
}
