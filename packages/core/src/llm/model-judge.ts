import type { JudgmentContext } from '../context.js'
import { JuristError } from '../errors.js'
import { giveInfo, type Judge } from '../judge.js'
import { withoutOutput } from '../judges/output-text.js'
import type { Judgment } from '../judgment.js'
import { checkName } from '../name.js'
import { checkRequired, hasFields, type OptionRule, option } from '../options.js'
import { unlessCutOff } from './classifiers/whole-answer.js'
import type { Classify, JudgeModel, ModelOptions, Prompt, RenderedPrompt } from './model.js'
import { askAgainRule, modelCalls } from './model-calls.js'

/** Options of `modelJudge`. */
export interface ModelJudgeOptions {
  readonly name: string
  readonly description?: string
  readonly prompt: Prompt
  readonly model: JudgeModel
  readonly classify: Classify
  /** Passed on to the model unchanged; `timeoutMs` also limits the call. */
  readonly options?: ModelOptions
  /**
   * How often to ask once more, with a reminder of the form, when `classify` abstains with the metadata `unread`.
   * Default 0.
   */
  readonly askAgain?: number
}

export const modelOptionsRule: OptionRule = {
  wants: 'an object whose timeoutMs, when given, is above 0',
  holds: (value) => hasFields(value, { timeoutMs: option.positive }, ['timeoutMs']),
}

/**
 * Creates a judge that asks a model: it builds the prompt, asks the model and classifies the answer. A prompt, a model
 * or a classifier that throws makes an ERROR; an answer that was cut off abstains. The judgment keeps usage and cost of
 * the answer, and the metadata `model`, `rawText`, `cached` and `askedAgain`. A prompt that needs the output of an
 * agent that gave none makes a FAIL, with the check `output_present`.
 *
 * @throws `option-invalid` for a missing option, `name-invalid`
 *
 * @example
 * import { answerLine, modelJudge, promptTemplate } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * modelJudge({
 *   name: 'polite',
 *   prompt: promptTemplate('polite', 'Is this polite?\n\n{{output}}\n\nAnswer: YES or NO', { fenced: ['output'] }),
 *   model: scriptedModel('Answer: YES'),
 *   classify: answerLine(),
 * })
 */
export function modelJudge(options: ModelJudgeOptions): Judge {
  const checked = checkModelJudge(options)
  const { name, description, model, options: asked, askAgain } = checked
  const calls = modelCalls({ ...checked, askAgain: askAgain ?? 0 })
  const read = unlessCutOff(checked.classify)
  const judge: Judge = async (context: JudgmentContext) => {
    const prompt = await renderedOrSilent(checked.prompt, context)
    return prompt === 'silent' ? withoutOutput() : calls.judge({ prompt, read }, context)
  }
  Object.defineProperty(judge, 'name', { value: name, configurable: true })
  const made = { model, options: asked, askAgain }
  return giveInfo(judge, { name, kind: 'model', description, options: made, models: [model] })
}

async function renderedOrSilent(prompt: Prompt, context: JudgmentContext): Promise<RenderedPrompt | 'silent'> {
  try {
    return await prompt(context)
  } catch (thrown) {
    const isSilent = JuristError.is(thrown, 'variable-missing') && thrown.details.variable === 'output'
    if (isSilent && context.agentOutput === undefined) return 'silent'
    throw thrown
  }
}

function checkModelJudge(options: ModelJudgeOptions): ModelJudgeOptions {
  const checked = checkRequired<ModelJudgeOptions>(
    'modelJudge',
    options,
    {
      name: option.string,
      description: option.string,
      prompt: option.function,
      model: option.function,
      classify: option.function,
      options: modelOptionsRule,
      askAgain: askAgainRule,
    },
    ['name', 'prompt', 'model', 'classify'],
  )
  checkName(checked.name, 'a judge')
  return checked
}

/** Options of `llmJudge`. */
export interface LlmJudgeOptions {
  readonly name: string
  readonly description?: string
  readonly model: JudgeModel
  /** Writes the one message of the request. */
  readonly buildPrompt: (context: JudgmentContext) => string | Promise<string>
  /** Turns the answer into a judgment. */
  readonly parseResponse: (text: string, context: JudgmentContext) => Judgment | Promise<Judgment>
  readonly options?: ModelOptions
}

/**
 * Creates a judge from a function that writes the prompt and one that reads the answer, both plain strings. It is the
 * short form of `modelJudge`; usage, cost and metadata are added as there.
 *
 * @throws `option-invalid` for a missing option, `name-invalid`
 *
 * @example
 * import { asText, fail, pass } from '@jurist/core'
 * import { llmJudge } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * llmJudge({
 *   name: 'polite',
 *   model: scriptedModel('YES'),
 *   buildPrompt: ({ agentOutput }) => `Is this polite? YES or NO\n\n${asText(agentOutput)}`,
 *   parseResponse: (text) => (text.trim() === 'YES' ? pass('polite') : fail(text)),
 * })
 */
export function llmJudge(options: LlmJudgeOptions): Judge {
  const { buildPrompt, parseResponse, ...given } = checkRequired<LlmJudgeOptions>(
    'llmJudge',
    options,
    {
      name: option.string,
      description: option.string,
      model: option.function,
      buildPrompt: option.function,
      parseResponse: option.function,
      options: modelOptionsRule,
    },
    ['name', 'model', 'buildPrompt', 'parseResponse'],
  )
  return modelJudge({
    ...given,
    prompt: async (context) => ({ messages: [{ role: 'user', content: await buildPrompt(context) }] }),
    classify: ({ text }, context) => parseResponse(text, context),
  })
}
