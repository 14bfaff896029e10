import type { JudgmentContext } from '../../context.js'
import { JuristError } from '../../errors.js'
import { isPlainObject } from '../../json.js'
import type { Judge } from '../../judge.js'
import { withoutOutput } from '../../judges/output-text.js'
import { abstain, type Judgment, scored } from '../../judgment.js'
import type { Check } from '../../judgment-record.js'
import { checkName } from '../../name.js'
import { arrayOf, checkRequired, described, nonBlank, objectOf, option } from '../../options.js'
import { meets } from '../../score.js'
import { checkWeights, totalWeight } from '../../votes/vote.js'
import { fold } from '../classifiers/answer-text.js'
import { json } from '../classifiers/json.js'
import type { Scale } from '../classifiers/probability.js'
import type { RenderedPrompt } from '../model.js'
import { modelCalls } from '../model-calls.js'
import { anythingForm, listForm, numberOf, objectForm, schemaOf, textForm } from './answer-form.js'
import { checkModelBase, describeModelJudge, type ModelBase, modelled, scaleRule } from './model-base.js'
import type { PromptShape } from './prompted.js'
import { dataDescription, type Prompted, promptedBy, taskData, taskShape } from './prompted.js'

/** A criterion that an output is scored on. */
export interface RubricCriterion {
  readonly name: string
  readonly description: string
  /** Finite, at least 0. Default 1. */
  readonly weight?: number
}

type Weighed = Required<RubricCriterion>

interface RubricAnswer {
  readonly scores: readonly { readonly name: string; readonly score: unknown; readonly reason: unknown }[]
}

/**
 * Asks a model for a score for each criterion, in one call. Each criterion is a check; the weighted mean of all
 * decides. Abstains when a criterion has no score, two, or one outside the scale. Fails without asking when there is no
 * output.
 *
 * @param options `scale` default 0 to 10; `threshold` on the normalised scores, default 0.5
 * @throws `option-invalid`, `name-invalid`, `name-duplicate`, `weight-invalid`
 *
 * @example
 * import { rubric } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('clear: 4\nright: 5')
 * rubric({
 *   model,
 *   criteria: [
 *     { name: 'clear', description: 'A beginner understands it.' },
 *     { name: 'right', description: 'It says nothing false.', weight: 2 },
 *   ],
 * })
 */
export function rubric(
  options: ModelBase & {
    readonly criteria: readonly RubricCriterion[]
    readonly scale?: Scale
    readonly threshold?: number
  },
): Judge {
  const given = checkModelBase('rubric', options, rules, ['criteria'])
  const { name = 'rubric', scale = { min: 0, max: 10 }, threshold = 0.5 } = given
  const criteria = checkedCriteria(given.criteria)
  const prompted = promptedBy('rubric', given, { ...shape, ...scoresAnswer(criteria, scale) })
  const calls = modelCalls({ ...given, name })
  const read = json(schemaOf(form.read), (answer) => judgmentOf(answer, criteria, scale, threshold))
  const judge: Judge = (context) => {
    if (context.agentOutput === undefined) return withoutOutput()
    const prompt = rubricPrompt(context, criteria, scale, prompted)
    return calls.judge({ prompt, read, options: { responseSchema: form.schema } }, context)
  }
  return modelled(judge, { ...given, name })
}

const shape = { ...taskShape, texts: ['criteria'], needed: ['criteria', 'output'] }

/** Names and weights have separate checks. */
const criterionRules = {
  name: described(
    { ...option.anything, schema: { type: 'string' } },
    'The name of the criterion in the answer and in the checks.',
  ),
  description: described(nonBlank, 'What is scored, as a sentence.'),
  weight: described({ ...option.anything, schema: { type: 'number', minimum: 0 } }, 'How much the score counts.', 1),
}
const { schema: criterionSchema = {} } = objectOf('a criterion', criterionRules, ['weight'])

const rules = {
  criteria: described(
    arrayOf('a non-empty array of criteria', { ...option.anything, schema: criterionSchema }, 1),
    'What the output is scored on, each with a name, a description and perhaps a weight.',
  ),
  scale: described(scaleRule, 'The range of the scores.', { min: 0, max: 10 }),
  threshold: described(option.rate, 'The lowest weighted mean, from 0 to 1, that passes.', 0.5),
}

describeModelJudge(rubric, 'the weighted mean of the scores that a model gives reaches the threshold', rules, [
  'criteria',
])

function scoresAnswer(criteria: readonly Weighed[], { min, max }: Scale): Pick<PromptShape, 'answer' | 'verdicts'> {
  const names = criteria.map(({ name }) => name)
  return {
    verdicts: `an object with a score from ${min} to ${max} for each of ${names.join(', ')}`,
    answer: (verdict, reason = '') => {
      if (!isPlainObject(verdict) || Object.keys(verdict).length !== names.length) return undefined
      const scores = names.map((name) => ({ name, reason, score: verdict[name] }))
      const fit = scores.every(({ score }) => typeof score === 'number' && score >= min && score <= max)
      return fit ? JSON.stringify({ scores }) : undefined
    },
  }
}

function checkedCriteria(criteria: readonly RubricCriterion[]): readonly Weighed[] {
  const checked = criteria.map((criterion) => ({
    weight: 1,
    ...checkRequired<RubricCriterion>('a criterion of rubric', criterion, criterionRules, ['description']),
  }))
  const names = checked.map(({ name }) => checkName(name, 'a criterion of a rubric'))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw new JuristError('name-duplicate', `rubric: two criteria are named "${twice}". Name each once.`, {
      name: twice,
    })
  checkWeights('rubric', checked)
  return checked
}

function rubricPrompt(
  context: JudgmentContext,
  criteria: readonly Weighed[],
  { min, max }: Scale,
  prompted: Prompted,
): RenderedPrompt {
  const data = taskData(context)
  const lines = criteria.map(({ name, description }) => `- ${JSON.stringify(name)}: ${description}`)
  return prompted({
    ask: [
      `Score the output by each of these criteria. ${dataDescription(data, context.expectedAnyOf)}`,
      '',
      'Criteria:',
      ...lines,
    ].join('\n'),
    texts: { criteria: lines.join('\n') },
    data,
    answer:
      `Answer with JSON and nothing else: {"scores": [{"name": <the criterion>, "reason": <one sentence>, "score": <a ` +
      `number from ${min} (worst) to ${max} (best)>}]}, one entry for each criterion, named as above.`,
  })
}

const form = objectForm<RubricAnswer>({
  scores: listForm(
    objectForm<RubricAnswer['scores'][number]>({
      name: textForm,
      reason: anythingForm({ type: 'string' }),
      score: anythingForm({ type: 'number' }),
    }),
  ),
})

function judgmentOf({ scores }: RubricAnswer, criteria: readonly Weighed[], scale: Scale, threshold: number): Judgment {
  // Models change the case of names. Case is ignored unless two criteria differ in nothing else.
  const isCaseFree = new Set(criteria.map(({ name }) => fold(name))).size === criteria.length
  const isSame = (one: string, other: string) => one === other || (isCaseFree && fold(one.trim()) === fold(other))
  const found = criteria.map((criterion) => checkOf(criterion, isSame, scores, scale, threshold))
  const checks = found.filter((check) => check !== undefined)
  if (checks.length < criteria.length) {
    const unread = criteria.filter((_, index) => found[index] === undefined).map(({ name }) => name)
    return abstain(`no single score on the scale for ${unread.join(', ')}`, { metadata: { unread: 'none' } })
  }
  const sum = checks.reduce((total, { score }, index) => total + score * (criteria[index]?.weight ?? 0), 0)
  // Rounding must not lead out of the range.
  return scored(Math.min(1, sum / totalWeight(criteria)), { passingAt: threshold, checks })
}

function checkOf(
  { name }: Weighed,
  isSame: (one: string, other: string) => boolean,
  scores: RubricAnswer['scores'],
  { min, max }: Scale,
  threshold: number,
): (Check & { readonly score: number }) | undefined {
  const [entry, second] = scores.filter((one) => isSame(one.name, name))
  const { score: given, reason } = entry ?? {}
  const value = typeof given === 'string' ? numberOf(given) : given
  if (second !== undefined || typeof value !== 'number' || !(value >= min && value <= max)) return undefined
  const score = (value - min) / (max - min)
  return { name, passed: meets(score, threshold), message: typeof reason === 'string' ? reason : '', score }
}
