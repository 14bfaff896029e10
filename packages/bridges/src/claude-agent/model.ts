import type { OptionRule } from '@jurist/core/internal'
import { checkOptions, option } from '@jurist/core/internal'
import type { JudgeModel } from '@jurist/core/llm'
import type { AgentEnvironment } from '../coding/coding-options.js'
import { structuredModel } from '../coding/structured-model.js'
import { claudeAgent } from './agent.js'
import type { ClaudeOptions, ClaudeQuery } from './shape.js'

/** The SDK as a model. */
export interface ClaudeModelOptions {
  /** `query` of `@anthropic-ai/claude-agent-sdk`. */
  readonly query: ClaudeQuery
  readonly model?: string
  /** Further options of `query`. */
  readonly options?: ClaudeOptions
  /** Names of host variables to hand on, such as `ANTHROPIC_API_KEY`; `home: 'host'` for your own login. */
  readonly environment?: AgentEnvironment
}

const rules: { readonly [name in keyof Required<ClaudeModelOptions>]: OptionRule } = {
  query: option.function,
  model: option.string,
  options: option.record,
  environment: option.record,
}

/**
 * Claude as a model through its Agent SDK, for judges that ask one: it may only look, in an empty directory. A schema is
 * kept by the SDK.
 *
 * @throws `option-invalid`; a call rejects when the run does not complete
 *
 * @example
 * const model = claudeModel({ query, model: 'claude-haiku-4-5', environment: { allow: ['ANTHROPIC_API_KEY'] } })
 */
export function claudeModel(options: ClaudeModelOptions): JudgeModel {
  const { options: more = {}, ...given } = checkOptions('claudeModel', options, rules)
  const agentFor = (own: ClaudeOptions) =>
    claudeAgent({ ...given, permissions: 'read-only', options: { tools: [], ...more, ...own } })
  agentFor({})
  return structuredModel((schema) =>
    agentFor(schema === undefined ? {} : { outputFormat: { type: 'json_schema', schema } }),
  )
}
