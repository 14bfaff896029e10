import type { OptionRule } from '@jurist/core/internal'
import { checkOptions, option } from '@jurist/core/internal'
import type { JudgeModel } from '@jurist/core/llm'
import type { AgentEnvironment } from '../coding/coding-options.js'
import { structuredModel } from '../coding/structured-model.js'
import { codexAgent, codexWithSchema } from './agent.js'
import type { CodexClient } from './shape.js'

/** The SDK as a model. */
export interface CodexModelOptions {
  /** Makes a client whose programs get this environment and nothing else. */
  readonly codex: (environment: Record<string, string>) => CodexClient
  readonly model?: string
  readonly environment?: AgentEnvironment
}

const rules: { readonly [name in keyof Required<CodexModelOptions>]: OptionRule } = {
  codex: option.function,
  model: option.string,
  environment: option.record,
}

/**
 * Codex as a model through its SDK, for judges that ask one: it may only look, in an empty directory. A schema is kept by
 * the SDK.
 *
 * @throws `option-invalid`; a call rejects when the turn does not complete
 *
 * @example
 * const model = codexModel({ codex: (env) => new Codex({ env, apiKey: process.env.OPENAI_API_KEY }) })
 */
export function codexModel(options: CodexModelOptions): JudgeModel {
  const given = { ...checkOptions('codexModel', options, rules), permissions: 'read-only' } as const
  const plain = codexAgent(given)
  return structuredModel((schema) => (schema === undefined ? plain : codexWithSchema(given, schema)))
}
