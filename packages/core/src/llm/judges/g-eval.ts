import type { JudgmentContext } from '../../context.js'
import type { Judge } from '../../judge.js'
import { withoutOutput } from '../../judges/output-text.js'
import { abstain, type Judgment, scored } from '../../judgment.js'
import { described, nonBlank, option } from '../../options.js'
import { numerical } from '../../score.js'
import { linesOf } from '../classifiers/answer-text.js'
import type { Scale } from '../classifiers/probability.js'
import { scoreLine } from '../classifiers/score-line.js'
import { withoutReasoning } from '../classifiers/whole-answer.js'
import { type RenderedPrompt, unreadable } from '../model.js'
import { checkModelBase, describeModelJudge, type ModelBase, modelled, nonBlankTexts, scaleRule } from './model-base.js'
import { type Ask, type Asked, modelCalls } from './model-calls.js'
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
import { type ReadScore, sampledScores, scoreFrom } from './sampled-score.js'

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
  const scoring = logprobs === 'auto' ? { topLogprobs: 20 } : {}
  const judge: Judge = async (context) => {
    if (context.agentOutput === undefined) return withoutOutput()
    const { steps = [], calls } = await stepsOf(context)
    const noStep = () => ({ judgment: abstain('the model named no step of evaluation') })
    if (steps.length === 0) return conclude(context, [], noStep, calls)
    const prompt = scorePrompt(context, { criteria, steps, scale }, prompted)
    const askOnce = (sample: number) => ask({ prompt, read, sample, options: scoring }, context)
    const asked = await sampledScores(askOnce, samples)
    const judge = (score: ReadScore) => scoredBy(score, scale, threshold, steps)
    return conclude(context, asked, (answers) => scoreFrom(answers, { scale, threshold, judge }), calls)
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

function scoredBy(read: ReadScore, scale: Scale, passingAt: number, steps: readonly string[]): Judgment {
  const { value, plainScore, weighted, samples, confidence, reasoning } = read
  const known = confidence === undefined ? {} : { confidence }
  const metadata = { plainScore, weighted, steps, ...known, ...(samples > 1 ? { samples } : {}) }
  return scored(numerical(value, scale), { passingAt, reasoning, metadata })
}

interface Scoring {
  readonly criteria: string
  readonly steps: readonly string[]
  readonly scale: Scale
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
