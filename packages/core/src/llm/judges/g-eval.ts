import type { JudgmentContext } from '../../context.js'
import type { Judge } from '../../judge.js'
import { withoutOutput } from '../../judges/output-text.js'
import { abstain, scored } from '../../judgment.js'
import { described, nonBlank, option } from '../../options.js'
import { meets, numerical } from '../../score.js'
import { linesOf } from '../classifiers/answer-text.js'
import { confidenceOf, type Scale, weighedScores } from '../classifiers/probability.js'
import { scoreLine } from '../classifiers/score-line.js'
import { withoutReasoning } from '../classifiers/whole-answer.js'
import { type RenderedPrompt, unreadable } from '../model.js'
import { type Ask, type Asked, type Conclusion, modelCalls, type ReadAnswer } from '../model-calls.js'
import { checkModelBase, describeModelJudge, type ModelBase, modelled, nonBlankTexts, scaleRule } from './model-base.js'
import {
  dataDescription,
  type Prompted,
  prompted,
  promptedBy,
  reasonsFirst,
  scoreAnswer,
  taskData,
  taskShape,
} from './prompted.js'

/** Options of `gEval`. */
export interface GEvalOptions extends ModelBase {
  /** The criteria for a good output. */
  readonly criteria: string
  /** The steps of the evaluation. Default: the model writes them once, at first use. */
  readonly steps?: readonly string[]
  /** Default 0 to 10. */
  readonly scale?: Scale
  /** On the normalised score. Default 0.5. */
  readonly threshold?: number
  /** Whether to ask for log-probabilities, by which the score is weighted. Default `'auto'`. */
  readonly logprobs?: 'auto' | 'off'
  /** The number of requests when the model returns no log-probabilities: the score is then the mean. Default 1. */
  readonly samples?: number
}

/**
 * Asks a model for a score by your criteria: first the steps (written once by the model unless you give them), then a
 * whole number. If the model returns log-probabilities, the score is weighted by them. Otherwise it is the mean of
 * `samples` answers; one that cannot be read counts as the worst score for a pass, and as the best for a fail. Without
 * an output it fails without asking. From Y. Liu et al., "G-Eval: NLG Evaluation using GPT-4 with Better Human
 * Alignment", EMNLP 2023.
 *
 * @returns a judge; its metadata has `plainScore` (the first number as it was written), `weighted`, `steps`, and
 * `samples` (the number of readable answers) when several were requested
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { gEval } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('Score: 4')
 * gEval({ model, criteria: 'Is the summary coherent?', scale: { min: 1, max: 5 }, threshold: 0.7 })
 */
export function gEval(options: GEvalOptions): Judge {
  const given = checkModelBase('gEval', options, rules, ['criteria'])
  const { name = 'gEval', criteria, steps: ownSteps, scale = { min: 0, max: 10 }, samples = 1 } = given
  const { threshold = 0.5, logprobs = 'auto' } = given
  const { ask, conclude } = modelCalls({ ...given, name })
  const prompted = promptedBy('gEval', given, { ...shape, ...scoreAnswer(scale) })
  const stepsOf = ownSteps === undefined ? stepsFrom(criteria, ask) : async () => ({ steps: ownSteps, calls: [] })
  const read = scoreLine({ ...scale, passingAt: 0 })
  const logprobOptions = logprobs === 'auto' ? { topLogprobs: 20 } : {}
  const judge: Judge = async (context) => {
    if (context.agentOutput === undefined) return withoutOutput()
    const { steps = [], calls } = await stepsOf(context)
    const noStep = () => ({ judgment: abstain('the model named no step of evaluation') })
    if (steps.length === 0) return conclude(context, [], noStep, calls)
    const scoring = { criteria, steps, scale, threshold }
    const prompt = scorePrompt(context, scoring, prompted)
    const askOnce = (sample: number) => ask({ prompt, read, sample, options: logprobOptions }, context)
    const first = await askOnce(0)
    const isEnough = !first.answer.ok || first.answer.response.logprobs !== undefined
    const others = Array.from({ length: isEnough ? 0 : samples - 1 }, (_, index) => askOnce(index + 1))
    const asked = [first, ...(await Promise.all(others))]
    return conclude(context, asked, (answers) => scoreFrom(answers, scoring), calls)
  }
  return modelled(judge, { ...given, name })
}

const rules = {
  criteria: described(nonBlank, 'What makes an output good.'),
  steps: described(nonBlankTexts, 'How to evaluate, a sentence each. Default: the model writes the steps once.'),
  scale: described(scaleRule, 'The range of whole numbers for the score.', { min: 0, max: 10 }),
  threshold: described(option.rate, 'The lowest score, from 0 to 1, that passes.', 0.5),
  logprobs: described(option.oneOf('auto', 'off'), 'Whether to ask for the log-probabilities of the score.', 'auto'),
  samples: described(option.integer(1), 'How often to ask when there are no log-probabilities: the mean counts.', 1),
}

describeModelJudge(gEval, 'the score that a model gives by the criteria reaches the threshold', rules, ['criteria'])

const shape = { ...taskShape, texts: ['criteria', 'steps'], needed: ['criteria', 'steps', 'output'] }

/** The score weighted by log-probabilities, or else the mean of the answers that could be read. */
function scoreFrom(answers: readonly ReadAnswer[], { steps, scale, threshold }: Scoring): Conclusion {
  const read = answers.flatMap(({ judgment: { score, reasoning } }) =>
    score?.type === 'numerical' ? [{ number: score.value, reasoning }] : [],
  )
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
  const weighted = weighed.length > 0
  const mean = weighted
    ? weighed.reduce((total, { score, probability }) => total + score * probability, 0)
    : sum / read.length
  // Rounding must not lead out of the range.
  const value = Math.min(scale.max, Math.max(scale.min, mean))
  const metadata = {
    ...{ plainScore: first.number, weighted, steps },
    ...confidenceOf(value, weighed, scale, threshold),
    ...(read.length > 1 ? { samples: read.length } : {}),
  }
  const { reasoning } = first
  return { judgment: scored(numerical(value, scale), { passingAt: threshold, reasoning, metadata }), isOpen: false }
}

interface Scoring {
  readonly criteria: string
  readonly steps: readonly string[]
  readonly scale: Scale
  readonly threshold: number
}

function scorePrompt(
  context: JudgmentContext,
  { criteria, steps, scale: { min, max } }: Scoring,
  prompted: Prompted,
): RenderedPrompt {
  const data = taskData(context)
  const numbered = steps.map((step, index) => `${index + 1}. ${step}`)
  return prompted({
    ask: [
      `Score the output. ${dataDescription(data, context.expectedAnyOf)}`,
      '',
      `Criteria: ${criteria}`,
      '',
      'Steps:',
      ...numbered,
    ].join('\n'),
    texts: { criteria, steps: numbered.join('\n') },
    data,
    answer: `${reasonsFirst}: "Score: " and a whole number from ${min} (worst) to ${max} (best).`,
  })
}

/** Includes the call that wrote the steps, if this judgment made it. */
interface Steps {
  /** Empty when the answer contained none; `undefined` when the call failed. */
  readonly steps?: readonly string[]
  /** The call to count: empty for callers that only waited for it. */
  readonly calls: readonly Asked[]
}

const numberedStep = /^[\s*_#>-]*(?:step\s*)?\d+[*_]*(?:[.):]| [-–—])[*_]*\s+(?<text>\S.*)$/iu
const listedStep = /^\s*[-*•]\s+(?<text>\S.*)$/u

/**
 * One call at first use is shared by all concurrent callers. A call that fails, or returns no step, is not kept: the
 * next caller tries again. If the caller that made the call is aborted, a waiting one makes it again.
 */
function stepsFrom(criteria: string, ask: Ask): (context: JudgmentContext) => Promise<Steps> {
  let shared: { readonly asked: Promise<Asked>; readonly maker: AbortSignal } | undefined
  return async function stepsOf(context) {
    const own = shared === undefined
    const call = shared ?? { asked: ask(stepsQuestion(criteria), context), maker: context.signal }
    shared = call
    const asked = await call.asked
    const steps = asked.answer.ok ? stepsIn(withoutReasoning(asked.answer.response.text) ?? '') : undefined
    if ((steps === undefined || steps.length === 0) && shared === call) shared = undefined
    if (steps === undefined && !own && call.maker.aborted && !context.signal.aborted) return stepsOf(context)
    return { steps, calls: own || steps === undefined ? [asked] : [] }
  }
}

function stepsQuestion(criteria: string) {
  return { prompt: stepsPrompt(criteria), read: () => unreadable('none', 'steps are not a judgment') }
}

function stepsPrompt(criteria: string) {
  return prompted({
    ask:
      'Write the steps by which somebody else will evaluate the output of an AI agent, goal and output in hand, to come to ' +
      `one score.\n\nCriteria: ${criteria}`,
    data: {},
    answer: 'Answer with 3 to 8 steps and nothing else: one a line, each with its number, as in "1. Read the goal."',
  })
}

/** The numbered lines, or else the lines of a list. */
function stepsIn(text: string): readonly string[] {
  // Line by line: a pattern over the whole text would try each of many blank lines again.
  const lines = linesOf(text)
  const found = (pattern: RegExp) => lines.flatMap((line) => pattern.exec(line)?.groups?.['text']?.trim() ?? [])
  const numbered = found(numberedStep)
  return numbered.length > 0 ? numbered : found(listedStep)
}
