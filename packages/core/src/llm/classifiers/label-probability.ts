import type { TokenAlternative, TokenLogprob } from '../model.js'
import { fold, strip } from './answer-text.js'

/**
 * The probability of a label among the labels, at the last place of the answer that says it: what the model would have written
 * there instead, as far as it is the beginning of a label. From the log-probabilities of the first token of the label.
 *
 * @param label as the answer says it
 * @param labels all of them, as declared
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
    // What begins several labels says nothing about them.
    if (begun.length !== 1) continue
    all += probability
    if (strip(fold(begun[0] ?? '')) === strip(fold(label))) own += probability
  }
  return all === 0 ? undefined : own / all
}

/** The token in which the label begins for the last time; -1 where it does not occur. */
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

/** Whether a token, without spaces and marks, is the beginning of a label. */
function isBeginning(token: string, label: string): boolean {
  const text = strip(fold(token))
  return text !== '' && strip(fold(label)).startsWith(text)
}

/** What the model could have written for a token, itself included. */
export function alternativesOf(token: TokenLogprob): readonly TokenAlternative[] {
  return token.top.some(({ token: text }) => text === token.token) ? token.top : [...token.top, token]
}

const roundingAboveZero = 1e-6

/** The probability of a token; 0 where the logarithm is not finite or above 0. */
export function probabilityOf(logprob: number): number {
  // `JSON.stringify` turns `-Infinity` into `null`, which would read back as 0 (certainty).
  return Number.isFinite(logprob) && logprob <= roundingAboveZero ? Math.exp(Math.min(logprob, 0)) : 0
}
