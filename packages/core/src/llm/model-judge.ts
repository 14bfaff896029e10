import type { JudgmentContext } from '../context.js'
import type { Judge } from '../judge.js'
import { describeJudge, guard, judgmentFrom } from '../judge.js'
import { checkName } from '../name.js'
import type { OptionRule } from '../options.js'
import { option } from '../options.js'
import { callModel } from './call-model.js'
import type { Classify } from './classify.js'
import { withEvidence } from './evidence.js'
import type { JudgeModel, ModelOptions } from './model.js'
import { checkNeeded } from './needed.js'
import type { Prompt } from './prompt.js'

export interface ModelJudgeOptions {
  readonly name: string
  readonly description?: string
  readonly prompt: Prompt
  readonly model: JudgeModel
  readonly classify: Classify
  /** Passed on to the model unchanged; `timeoutMs` also bounds the call. */
  readonly options?: ModelOptions
}

/** What `options` of a judge by a model may be. */
export const modelOptionsRule: OptionRule = {
  wants: 'an object whose timeoutMs, when given, is above 0',
  holds: (value) => {
    if (!option.record.holds(value)) return false
    const { timeoutMs } = value as { readonly timeoutMs?: unknown }
    return timeoutMs === undefined || option.positive.holds(timeoutMs)
  },
}

/**
 * A judge that asks a model: prompt, model, classify, once each. A prompt, a model or a classifier that throws makes an
 * ERROR; what the answer cost and said stays with the judgment: usage, cost, and the metadata `model`, `rawText` and
 * `cached`.
 *
 * @throws `option-invalid` for a part that is missing, `name-invalid`
 *
 * @example
 * modelJudge({
 *   name: 'polite',
 *   prompt: promptTemplate('polite', 'Is this polite?\n\n{{output}}\n\nAnswer: YES or NO', { fenced: ['output'] }),
 *   model,
 *   classify: answerLine(),
 * })
 */
export function modelJudge(options: ModelJudgeOptions): Judge {
  const { name, description, prompt, model, classify, options: modelOptions } = checkModelJudge(options)
  const judge: Judge = async (context: JudgmentContext) => {
    const rendered = await prompt(context)
    const response = await callModel(model, {
      prompt: rendered,
      ...(modelOptions === undefined ? {} : { options: modelOptions }),
      signal: context.signal,
    })
    // A classifier that throws must not lose what the answer cost.
    const step = () => classify(response, context)
    const end = (answer: unknown) => judgmentFrom(answer, name)
    return withEvidence(await guard(name, context, undefined, step, end), [response], modelOptions)
  }
  Object.defineProperty(judge, 'name', { value: name, configurable: true })
  return describeJudge(judge, { name, kind: 'model', ...(description === undefined ? {} : { description }) })
}

function checkModelJudge(options: ModelJudgeOptions): ModelJudgeOptions {
  const checked = checkNeeded<ModelJudgeOptions>(
    'modelJudge',
    options,
    {
      name: option.string,
      description: option.string,
      prompt: option.function,
      model: option.function,
      classify: option.function,
      options: modelOptionsRule,
    },
    ['name', 'prompt', 'model', 'classify'],
  )
  checkName(checked.name, 'a judge')
  return checked
}
