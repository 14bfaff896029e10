import type { JudgmentContext } from '../context.js'
import { defined } from '../decoders.js'
import type { Judge } from '../judge.js'
import type { Judgment } from '../judgment.js'
import { checkRequired, option } from '../options.js'
import type { JudgeModel, ModelOptions } from './model.js'
import { type ModelJudgeOptions, modelJudge, modelOptionsRule } from './model-judge.js'

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
