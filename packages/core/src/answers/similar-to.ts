import type { JudgmentContext } from '../context.js'
import { JuristError } from '../errors.js'
import { giveInfo, type Judge } from '../judge.js'
import { describeJudge } from '../judge-description.js'
import type { Embed, Embeddings } from '../judge-model.js'
import { withoutOutput } from '../judges/output-text.js'
import { type Extras, error, fail, type Judgment, scored } from '../judgment.js'
import { checkRequired, described, type OptionDescriptions, option, optionInvalid, printed } from '../options.js'
import { withoutExpectedOutput } from '../unjudgeable.js'
import { expectedAnswersOf, maxTextLength, plainText, tooLargeToJudge } from './expected-answer.js'
import { defaultNormalization, type Normalization, normalizationRule, normalizer } from './normalization.js'
import { levenshteinSimilarity, rougeL, type Similarity, tokenF1, words } from './similarity.js'

/**
 * @throws `response-invalid` unless there is a vector of finite numbers for each text, all of one length, none of them
 * zero
 */
async function embedded(embed: Embed, texts: readonly string[], signal: AbortSignal): Promise<Embeddings> {
  const given = await embed(texts, signal)
  const { vectors, ...spent } = isVectors(given) ? { vectors: given } : given
  const [{ length: dimensions = 0 } = []] = vectors
  const isWhole = (vector: readonly number[]) =>
    vector.length === dimensions && vector.every(Number.isFinite) && vector.some((value) => value !== 0)
  if (vectors.length === texts.length && vectors.every(isWhole)) return { vectors, ...spent }
  const reason = `${texts.length} texts need as many vectors of finite numbers, of one length, not all 0`
  throw new JuristError('response-invalid', `similarTo: "embed" returned something else: ${reason}.`, { reason })
}

function isVectors(given: Awaited<ReturnType<Embed>>): given is readonly (readonly number[])[] {
  return Array.isArray(given)
}

/** The vectors have the same length. A negative cosine becomes 0. */
function cosineSimilarity(one: readonly number[], other: readonly number[]): number {
  // Scaling keeps squares from overflowing or vanishing.
  const [left, right] = [scaled(one), scaled(other)]
  const product = left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0)
  return Math.min(1, Math.max(0, product / (norm(left) * norm(right))))
}

function scaled(vector: readonly number[]): readonly number[] {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  return vector.map((value) => value / largest)
}

function norm(vector: readonly number[]): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
}

/** The options of `similarTo`. */
export interface SimilarToOptions {
  /**
   * The measure of similarity, from 0 to 1. `levenshtein`: 1 minus the edit distance over the longer length. `rouge-l`:
   * F1 of the longest common subsequence of words. `token-f1`: F1 of the shared words, as SQuAD does. `embedding`: the
   * cosine of the vectors that `embed` returns, 0 where it is negative.
   */
  readonly by: 'levenshtein' | 'rouge-l' | 'token-f1' | 'embedding'
  /** The lowest score that passes. A sensible value depends on the measure: try it on answers that you have judged. */
  readonly threshold: number
  /** The differences to ignore with `levenshtein`; `false`: none. Default `['unicode', 'whitespace']`. */
  readonly normalize?: false | readonly Normalization[]
  /** Turns strings into vectors, with `embedding`. */
  readonly embed?: Embed
}

const options: OptionDescriptions<SimilarToOptions> = {
  by: described(
    option.oneOf('levenshtein', 'rouge-l', 'token-f1', 'embedding'),
    'How similarity is measured: by the edit distance, the longest common subsequence of words, shared words, or vectors.',
  ),
  threshold: described(option.rate, 'The lowest score that passes.'),
  normalize: described(normalizationRule, 'Differences to ignore with `levenshtein`.', [...defaultNormalization]),
  embed: {
    ...option.function,
    schema: { $ref: '#/$defs/model' },
    description: 'With `embedding`: the model that turns texts into vectors, behind an OpenAI-compatible server.',
  },
}

/** Keeps the table of both texts within 100,000,000 cells. */
const maxSide = 10_000
const maxEmbedded = 20_000

interface Measure {
  readonly similarity: Similarity
  readonly most: number
  readonly what: string
  readonly count: (text: string) => number
}

const characters = { what: 'characters', count: (text: string) => text.length }
const measures: { readonly [by in Exclude<SimilarToOptions['by'], 'embedding'>]: Measure } = {
  levenshtein: { similarity: levenshteinSimilarity, most: maxSide, ...characters },
  'rouge-l': { similarity: rougeL, most: maxSide, what: 'words', count: (text) => words(text).length },
  'token-f1': { similarity: tokenF1, most: maxTextLength, ...characters },
}

/**
 * Passes when the similarity of the agent's answer to the expected output reaches the threshold. If the item has a list
 * of right answers, the best one counts. Abstains without an expected output. Fails without an answer, and with one
 * that is too long: more than 10,000 characters (`levenshtein`), 10,000 words (`rouge-l`), 20,000 characters
 * (`embedding`) or 1,000,000 (`token-f1`). An expected output that is too long is an ERROR. The check is `similar`, the
 * score is the similarity, and with `embedding` the judgment includes the cost of the vectors.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { similarTo } from '@jurist/core/answers'
 *
 * similarTo({ by: 'rouge-l', threshold: 0.6 })
 */
export function similarTo(given: SimilarToOptions): Judge {
  const checked = checkRequired('similarTo', given, options, ['by', 'threshold'])
  const { by, threshold, normalize, embed } = checked
  if (normalize !== undefined && by !== 'levenshtein')
    return optionInvalid('normalize', `similarTo: "normalize" has no meaning with by: ${printed(by)}. Leave it out.`)
  if ((embed !== undefined) !== (by === 'embedding'))
    return optionInvalid('embed', 'similarTo: "embedding" needs "embed", a function, and no other measure does.')
  const plain = normalizer(normalize)
  return giveInfo(
    async function similarTo(context) {
      const texts = textsOf(context, plain)
      if ('status' in texts) return texts
      const { most, what, count } = by === 'embedding' ? { most: maxEmbedded, ...characters } : measures[by]
      const long = texts.expected.find((text) => count(text) > most)
      if (long !== undefined)
        return error(`the expected output has ${count(long)} ${what}, and at most ${most} are compared`)
      const tooLarge = tooLargeToJudge(count(texts.answer), most, what)
      if (tooLarge !== undefined) return tooLarge
      if (embed !== undefined) return byEmbedding(embed, texts, threshold, context)
      const { similarity } = measures[by as keyof typeof measures]
      return concludedBy(Math.max(...texts.expected.map((text) => similarity(texts.answer, text))), threshold)
    },
    { options: checked },
  )
}

interface Texts {
  readonly answer: string
  readonly expected: readonly string[]
}

function textsOf(context: JudgmentContext, plain: (text: string) => string): Texts | Judgment {
  const expected = expectedAnswersOf(context).map(plainText)
  if (expected.every((text) => text.trim() === '')) return withoutExpectedOutput()
  const { agentOutput } = context
  if (agentOutput === undefined) return withoutOutput()
  const answer = plainText(agentOutput)
  return tooLargeToJudge(answer.length, maxTextLength) ?? { answer: plain(answer), expected: expected.map(plain) }
}

/** A blank text has no vector, and servers refuse it. */
async function byEmbedding(
  embed: Embed,
  texts: Texts,
  threshold: number,
  { signal }: JudgmentContext,
): Promise<Judgment> {
  const isGiven = (text: string) => text.trim() !== ''
  if (!isGiven(texts.answer)) return fail('the output is blank', { score: 0 })
  const { vectors, ...spent } = await embedded(embed, [texts.answer, ...texts.expected.filter(isGiven)], signal)
  const [answer = [], ...expected] = vectors
  return concludedBy(Math.max(...expected.map((vector) => cosineSimilarity(answer, vector))), threshold, spent)
}

function concludedBy(score: number, threshold: number, spent: Extras = {}): Judgment {
  const judgment = scored(score, { passingAt: threshold })
  const check = { name: 'similar', passed: judgment.status === 'pass', message: judgment.reasoning, score }
  return scored(score, { passingAt: threshold, ...spent, checks: [check], reasoning: judgment.reasoning })
}

describeJudge<Omit<SimilarToOptions, 'embed'> & { readonly embed?: unknown }>(similarTo, {
  passes: "the agent's answer is similar enough to the expected output of the item",
  options,
  required: ['by', 'threshold'],
  make: ({ embed, ...rest }, config) => similarTo(embed === undefined ? rest : { ...rest, embed: config.embed(embed) }),
})
