import type { JudgmentContext } from '../../context.js'
import type { JsonObject } from '../../json.js'
import type { Judge } from '../../judge.js'
import { withoutOutput } from '../../judges/output-text.js'
import { abstain, fail, type Judgment, pass } from '../../judgment.js'
import { described, nonBlank } from '../../options.js'
import { numerical } from '../../score.js'
import { passFail } from '../classifiers/labels.js'
import type { RenderedPrompt } from '../model.js'
import { type Conclusion, modelCalls, type ReadAnswer } from '../model-calls.js'
import { checkModelBase, describeModelJudge, type ModelBase, modelled } from './model-base.js'
import {
  dataDescription,
  type Prompted,
  promptedBy,
  reasonsFirst,
  taskData,
  taskShape,
  yesOrNoAnswer,
} from './prompted.js'

const yesOrNo = passFail('YES', 'NO')
const maxSamples = 99

/**
 * Asks a model whether the output satisfies one criterion, yes or no. With a `strictness` above 1 it asks that many
 * times in parallel, and the majority decides (self-consistency: X. Wang et al., "Self-Consistency Improves Chain of
 * Thought Reasoning in Language Models", ICLR 2023). A pass needs the majority of all requests: answers that cannot be
 * read count against it. Equal votes, and too few readable answers, abstain; without an output it fails without asking.
 *
 * @param options `strictness` an odd number from 1 to 99, default 1
 * @returns a judge; its score is the share of yes among the answers read, or, for a single answer, a boolean
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { criteria } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('Answer: YES')
 * criteria({ model, criterion: 'The answer names its sources.', strictness: 3 })
 */
export function criteria(options: ModelBase & { readonly criterion: string; readonly strictness?: number }): Judge {
  const given = checkModelBase('criteria', options, rules, ['criterion'])
  const { name = 'criteria', criterion, strictness = 1 } = given
  const { ask, conclude } = modelCalls({ ...given, name })
  const prompted = promptedBy('criteria', given, shape)
  const judge: Judge = async (context) => {
    if (context.agentOutput === undefined) return withoutOutput()
    const prompt = criterionPrompt(context, criterion, prompted)
    const samples = Array.from({ length: strictness }, (_, sample) => ask({ prompt, read: yesOrNo, sample }, context))
    return conclude(context, await Promise.all(samples), majorityOf)
  }
  return modelled(judge, { ...given, name })
}

const rules = {
  criterion: described(nonBlank, 'What the output must satisfy, as a sentence.'),
  strictness: {
    wants: `an odd whole number from 1 to ${maxSamples}`,
    holds: (value: unknown) =>
      Number.isInteger(value) &&
      (value as number) % 2 === 1 &&
      (value as number) <= maxSamples &&
      (value as number) > 0,
    schema: { type: 'integer', minimum: 1, maximum: maxSamples },
    description: 'How often the model is asked; the majority decides. An odd number.',
    default: 1,
  },
}

describeModelJudge(criteria, 'a model says that the output satisfies the criterion', rules, ['criterion'])

const shape = { ...taskShape, texts: ['criterion'], needed: ['criterion', 'output'], ...yesOrNoAnswer }

function criterionPrompt(context: JudgmentContext, criterion: string, prompted: Prompted): RenderedPrompt {
  const data = taskData(context)
  return prompted({
    ask: `Does the output satisfy this criterion? ${dataDescription(data, context.expectedAnyOf)}\n\nCriterion: ${criterion}`,
    texts: { criterion },
    data,
    answer: `${reasonsFirst}: "Answer: YES" when the criterion is satisfied, "Answer: NO" when it is not.`,
  })
}

/** A sample that cannot be read counts against a pass. */
function majorityOf(answers: readonly ReadAnswer[]): Conclusion {
  const read = answers.map(({ judgment }) => judgment)
  const count = (status: Judgment['status']) => read.filter((judgment) => judgment.status === status).length
  const samples = { pass: count('pass'), fail: count('fail'), abstain: count('abstain') }
  const passed = samples.pass > samples.fail + samples.abstain
  const failed = samples.fail > samples.pass
  const isOpen = !passed && samples.fail <= samples.pass + samples.abstain
  const first = passed || failed ? read.find(({ status }) => status === (passed ? 'pass' : 'fail')) : undefined
  const { confidence: _, ...shared } = first?.metadata ?? {}
  const said = read.length === 1 ? read[0]?.metadata : { ...shared, ...sharedConfidence(read, passed) }
  const metadata = { ...said, samples }
  return { judgment: majorityJudgment({ samples, first, passed, metadata }), isOpen }
}

/**
 * The mean probability of the majority's answer. A sample that cannot be read counts against it. Absent if a readable
 * sample has no probability.
 */
function sharedConfidence(read: readonly Judgment[], passed: boolean): { readonly confidence?: number } {
  const each = read.map(({ status, metadata: { confidence } }) => {
    if (status === 'abstain') return 0
    if (typeof confidence !== 'number') return undefined
    return (status === 'pass') === passed ? confidence : 1 - confidence
  })
  const known = each.filter((one) => one !== undefined)
  if (known.length < each.length) return {}
  return { confidence: known.reduce((sum, one) => sum + one, 0) / each.length }
}

interface Majority {
  readonly samples: { readonly pass: number; readonly fail: number; readonly abstain: number }
  readonly first: Judgment | undefined
  readonly passed: boolean
  readonly metadata: JsonObject
}

function majorityJudgment({ samples, first, passed, metadata }: Majority): Judgment {
  const decided = samples.pass + samples.fail
  const unread = samples.abstain === 0 ? '' : `, ${samples.abstain} could not be read`
  const tally = `${samples.pass} of ${decided} samples said yes${unread}`
  if (first === undefined) {
    const why = samples.abstain === 0 ? {} : { unread: 'none' }
    return abstain(decided === 0 ? 'no sample could be read' : tally, { metadata: { ...why, ...metadata } })
  }
  const isSingle = decided + samples.abstain === 1
  const extras = { metadata, ...(isSingle ? {} : { score: numerical(samples.pass / decided) }) }
  const reasoning = isSingle && first.reasoning !== '' ? first.reasoning : `${tally}: ${first.reasoning}`
  return passed ? pass(reasoning, extras) : fail(reasoning, extras)
}
