import type { JudgmentContext } from '../context.js'
import { JuristError } from '../errors.js'
import { giveInfo, guard, type Judge, judgmentFrom } from '../judge.js'
import { withoutOutput } from '../judges/output-text.js'
import type { Judgment } from '../judgment.js'
import { checkName } from '../name.js'
import { checkRequired, defined, hasFields, type OptionRule, option } from '../options.js'
import { unlessCutOff } from './classifiers/whole-answer.js'
import { withEvidence } from './evidence.js'
import type { Classify, JudgeModel, JudgeModelResponse, ModelOptions, Prompt, RenderedPrompt } from './model.js'
import { askAgainRule, callModel, isUnread, orNothing, promptAgain, withAskedAgain } from './model-call.js'

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
  const { name, description } = checked
  const judge: Judge = async (context: JudgmentContext) => {
    const rendered = await renderedOrSilent(checked.prompt, context)
    return rendered === 'silent' ? withoutOutput() : askedUntilRead(checked, rendered, context)
  }
  Object.defineProperty(judge, 'name', { value: name, configurable: true })
  const { model, options: asked, askAgain } = checked
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

/** Counts the cost of all answers. */
async function askedUntilRead(
  { name, model, classify, options, askAgain = 0 }: ModelJudgeOptions,
  prompt: RenderedPrompt,
  context: JudgmentContext,
): Promise<Judgment> {
  const call = (words: RenderedPrompt) => callModel(model, { prompt: words, options, context })
  const whole = unlessCutOff(classify)
  // A classifier that throws must not lose the cost of the answer.
  const read = async (response: JudgeModelResponse) =>
    judgmentFrom(await guard(name, context, undefined, () => whole(response, context)), name)
  const responses = [await call(prompt)]
  let judgment = await read(responses[0] as JudgeModelResponse)
  while (isUnread(judgment) && responses.length <= askAgain) {
    const response = await orNothing(call(promptAgain(prompt, responses.length)), context)
    if (response === undefined) break
    responses.push(response)
    judgment = await read(response)
  }
  const exchange = { prompts: [prompt], responses, options }
  return withEvidence(withAskedAgain(judgment, responses.length - 1), exchange, context)
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
  const {
    buildPrompt,
    parseResponse,
    name,
    description,
    model,
    options: modelOptions,
  } = checkRequired<LlmJudgeOptions>(
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
  return modelJudge(
    defined<ModelJudgeOptions>({
      name,
      description,
      model,
      options: modelOptions,
      prompt: async (context) => ({ messages: [{ role: 'user', content: await buildPrompt(context) }] }),
      classify: ({ text }, context) => parseResponse(text, context),
    }),
  )
}
