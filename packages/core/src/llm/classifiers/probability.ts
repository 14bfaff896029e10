import { meets } from '../../score.js'
import type { TokenAlternative, TokenLogprob } from '../model.js'
import { fold, strip } from './answer-text.js'

/**
 * The probability of a label among all labels, from the log-probabilities of its first token where the answer states it
 * for the last time. Alternatives count if they are the beginning of a label.
 *
 * @param label as the answer states it
 * @param labels all labels, as declared
 * @returns `undefined` without log-probabilities, and where no token begins the label
 */
export function labelProbability(
  logprobs: readonly TokenLogprob[] | undefined,
  label: string,
  labels: readonly string[],
): number | undefined {
  const token = logprobs?.[lastStartOf(label, logprobs)]
  if (token === undefined) return undefined
  let [own, all] = [0, 0]
  for (const { token: text, logprob } of alternativesOf(token)) {
    const begun = labels.filter((one) => isBeginning(text, one))
    const probability = probabilityOf(logprob)
    // A token that begins several labels does not distinguish them.
    if (begun.length !== 1) continue
    all += probability
    if (strip(fold(begun[0] ?? '')) === strip(fold(label))) own += probability
  }
  return all === 0 ? undefined : own / all
}

/** Returns -1 where the label does not occur. */
function lastStartOf(label: string, tokens: readonly TokenLogprob[]): number {
  const wanted = strip(fold(label))
  return tokens.findLastIndex(({ token }, index) => {
    if (!isBeginning(token, label)) return false
    let said = ''
    for (let next = index; next < tokens.length && said.length <= wanted.length + token.length; next += 1)
      said += tokens[next]?.token ?? ''
    return strip(fold(said)).startsWith(wanted)
  })
}

/** Spaces and marks around the token are ignored. */
function isBeginning(token: string, label: string): boolean {
  const text = strip(fold(token))
  return text !== '' && strip(fold(label)).startsWith(text)
}

/** Includes the token itself. */
function alternativesOf(token: TokenLogprob): readonly TokenAlternative[] {
  return token.top.some(({ token: text }) => text === token.token) ? token.top : [...token.top, token]
}

const roundingAboveZero = 1e-6

/** 0 where the logarithm is not finite or above 0. */
function probabilityOf(logprob: number): number {
  // `JSON.stringify` turns `-Infinity` into `null`, which would be read as 0 (certainty).
  return Number.isFinite(logprob) && logprob <= roundingAboveZero ? Math.exp(Math.min(logprob, 0)) : 0
}

/** The range of whole numbers for a score. */
export interface Scale {
  readonly min: number
  readonly max: number
}

export interface WeighedScore {
  readonly score: number
  readonly probability: number
}

const wholeNumber = /^-?\d+$/
const leastProbability = 0.01

/**
 * The alternatives of the last token that is the given score. Those below one per cent are left out, and the others add
 * up to 1.
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
 * The total probability of the scores on the same side of the threshold, as metadata; `{}` without log-probabilities.
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
