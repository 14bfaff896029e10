import { type Sample, sampleOf } from '../asking.js'
import type { JudgmentContext } from '../context.js'
import type { Judge } from '../judge.js'
import { abstain, type Judgment } from '../judgment.js'
import { assemble } from '../judgment-record.js'
import type { Confidence, ConfidentAnswer } from '../jury-member.js'
import { checkOptions, option, optionInvalid } from '../options.js'
import { answerOf } from '../selective-judge.js'
import { totalSpent } from '../usage.js'

/** Options of `votes`. */
export interface VotesOptions {
  /** The temperature of every model that the judge asks. Default 1, so that samples differ. */
  readonly temperature?: number
}

/**
 * Uses the share of `samples` judgments that agree: the judge runs that many times, and the majority is its judgment.
 * Abstentions and answers that cannot be read count against it. One error makes an error, a tie an abstention.
 *
 * @param samples at least 2
 * @throws `option-invalid`
 *
 * @example
 * import { selectiveJudge } from '@jurist/core'
 * import { votes } from '@jurist/core/confidence'
 * import { correctness } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const judge = correctness({ model: scriptedModel('Answer: YES') })
 * selectiveJudge(judge, { threshold: 0.8, confidence: votes(5) })
 */
export function votes(samples: number, options?: VotesOptions): Confidence {
  if (!option.integer(2).holds(samples))
    optionInvalid('samples', `votes: "samples" must be ${option.integer(2).wants}.`)
  const { temperature = 1 } = checkOptions('votes', options, { temperature: option.nonNegative })
  return namedSource(`votes(${samples}, temperature ${temperature})`, async (judge, context) => {
    const sample = (index: number): Sample => ({ index, count: samples, options: { temperature } })
    const each = Array.from({ length: samples }, (_, index) => answerOf(judge, sampleOf(context, sample(index))))
    return majorityOf(await Promise.all(each), byVote)
  })
}

/** Options of `swapped`: how to exchange the two sides of a comparison, and how to map the judgment back. */
export interface SwapOptions {
  /** Returns the same context with the two places exchanged. */
  readonly swap: (context: JudgmentContext) => JudgmentContext
  /** Maps the judgment of the exchanged context to the original one. Default: unchanged. */
  readonly unswap?: (judgment: Judgment) => Judgment
}

/**
 * Uses the smaller confidence over both orders of a comparison: 0 where the two orders disagree.
 *
 * @param inner the confidence of each order
 * @throws `option-invalid`
 *
 * @example
 * import { declared, swapped } from '@jurist/core/confidence'
 *
 * const confidence = swapped(declared(), {
 *   swap: (context) => ({ ...context, metadata: { ...context.metadata, isSwapped: true } }),
 * })
 */
export function swapped(inner: Confidence, options: SwapOptions): Confidence {
  const { swap, unswap = (judgment: Judgment) => judgment } = checkOptions('swapped', options, {
    swap: option.function,
    unswap: option.function,
  })
  return namedSource(
    `swapped(${inner.name})`,
    async (judge, context) => {
      const [first, second] = await Promise.all([inner(judge, context), inner(judge, swap(context))])
      const other = unswap(second.judgment)
      const samples = first.samples + second.samples
      if (other.status === 'error') return { judgment: spending(other, [first, second]), confidence: 0, samples }
      const confidence = other.status === first.judgment.status ? Math.min(first.confidence, second.confidence) : 0
      return { ...first, judgment: spending(first.judgment, [first, second]), confidence, samples }
    },
    inner.version,
  )
}

/** Options of `annotators`. */
export interface AnnotatorsOptions<Example> {
  /** Creates the judge with these examples. */
  readonly judge: (examples: readonly Example[]) => Judge
  /**
   * Labelled examples. Keep them out of the items that calibrate: a judge is overconfident about an item it has seen.
   */
  readonly examples: readonly Example[]
  /** The number of examples for each annotator. */
  readonly perAnnotator: number
  /** The number of annotators. */
  readonly count: number
}

/**
 * Simulates annotators: the judge runs `count` times, each time with other examples. The confidence is the mean
 * probability that they declare for their answer, or the share of those that agree where they declare none (Jung,
 * Brahman and Choi 2025, Trust or Escalate, ICLR). The given judge itself is not asked.
 *
 * @throws `option-invalid`, also for fewer examples than the annotators need
 *
 * @example
 * import { annotators } from '@jurist/core/confidence'
 * import { correctness } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('Answer: YES')
 * const examples = [
 *   { input: '2 + 2?', output: '4', verdict: 'pass' as const },
 *   { input: '2 + 3?', output: '6', verdict: 'fail' as const },
 * ]
 * annotators({ judge: (shown) => correctness({ model, examples: shown }), examples, perAnnotator: 1, count: 2 })
 */
export function annotators<Example>(options: AnnotatorsOptions<Example>): Confidence {
  const given = checkOptions('annotators', options, {
    judge: option.function,
    examples: { wants: 'an array', holds: Array.isArray },
    perAnnotator: option.integer(1),
    count: option.integer(2),
  })
  const { judge: make, examples = [], perAnnotator = 0, count = 0 } = given
  if (make === undefined || perAnnotator === 0 || count === 0 || examples.length < perAnnotator)
    return optionInvalid(
      'examples',
      'annotators: give "judge", "perAnnotator", "count", and at least as many "examples" as an annotator is shown.',
    )
  const judges = Array.from({ length: count }, (_, annotator) =>
    make(
      Array.from(
        { length: perAnnotator },
        (_, place) => examples[(annotator * perAnnotator + place) % examples.length] as Example,
      ),
    ),
  )
  return namedSource(
    `annotators(${count} × ${perAnnotator})`,
    async (_judge, context) => {
      const each = judges.map((judge, index) => answerOf(judge, sampleOf(context, { index, count })))
      return majorityOf(await Promise.all(each), byProbability)
    },
    JSON.stringify(examples),
  )
}

function namedSource(
  name: string,
  source: (judge: Judge, context: JudgmentContext) => Promise<ConfidentAnswer>,
  version?: string,
): Confidence {
  const described = { name: { value: name }, ...(version === undefined ? {} : { version: { value: version } }) }
  return Object.defineProperties(source, described) as Confidence
}

/**
 * Returns the share of a sample that counts as a pass. The rest of 1 counts as a fail, unless the sample decided
 * nothing.
 */
type Weigh = (judgment: Judgment) => number

const byVote: Weigh = ({ status }) => (status === 'pass' ? 1 : 0)

/** A sample without a declared probability counts as a whole vote. */
const byProbability: Weigh = ({ status, metadata }) => {
  const { confidence } = metadata
  const sure = typeof confidence === 'number' && confidence >= 0 && confidence <= 1 ? confidence : 1
  return status === 'pass' ? sure : 1 - sure
}

function majorityOf(answers: readonly Answer[], weigh: Weigh): ConfidentAnswer {
  const judgments = answers.map(({ judgment }) => judgment)
  const samples = answers.length
  const broken = judgments.find(({ status }) => status === 'error')
  if (broken !== undefined) return { judgment: spending(broken, answers), confidence: 0, samples }
  const decided = judgments.filter(({ status }) => status !== 'abstain')
  const passing = decided.reduce((sum, judgment) => sum + weigh(judgment), 0)
  const failing = decided.reduce((sum, judgment) => sum + 1 - weigh(judgment), 0)
  const status = passing > failing ? 'pass' : 'fail'
  const speaker = decided.find((judgment) => judgment.status === status)
  if (speaker === undefined || passing === failing) {
    const said = `${decided.filter((judgment) => judgment.status === 'pass').length} of ${samples} samples passed`
    return { judgment: spending(abstain(`no majority: ${said}`), answers), confidence: 0, samples }
  }
  return { judgment: spending(speaker, answers), confidence: Math.max(passing, failing) / samples, samples }
}

type Answer = Pick<ConfidentAnswer, 'judgment' | 'verdict'>

function spending(judgment: Judgment, answers: readonly Answer[]): Judgment {
  const spent = answers.map(({ judgment: own, verdict }) => verdict ?? own)
  return assemble(judgment, { ...judgment, usage: undefined, costUsd: undefined, ...totalSpent(spent) })
}
