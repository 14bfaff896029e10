import type { Agent, AgentTask } from '@jurist/core'
import { checkOptions } from '@jurist/core/internal'
import { type Prices, pricesRule } from '../context/cost.js'
import { type ContextExtras, type FinishOptions, finishRules } from '../context/extras.js'
import { bridgeOf, type ContextFrom, type Evaluate, type Observe } from '../run/bridge.js'
import { frameworkAgent } from '../run/framework-agent.js'
import { readAiSdk } from './reading.js'

/** The usage of a step or result; other fields are not read. */
export interface AiSdkUsage {
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly totalTokens?: number | undefined
  readonly cachedInputTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
  readonly inputTokenDetails?:
    | { readonly cacheReadTokens?: number | undefined; readonly cacheWriteTokens?: number | undefined }
    | undefined
  readonly outputTokenDetails?: { readonly reasoningTokens?: number | undefined } | undefined
}

/** A step of a result. Every field may be missing or malformed; other fields are not read. */
export interface AiSdkStep {
  readonly text?: string | undefined
  readonly usage?: AiSdkUsage | undefined
  readonly finishReason?: string | undefined
  readonly rawFinishReason?: string | undefined
  readonly content?: readonly unknown[] | undefined
  readonly toolCalls?: readonly unknown[] | undefined
  readonly toolResults?: readonly unknown[] | undefined
  readonly sources?: readonly unknown[] | undefined
  readonly response?: { readonly id?: string | undefined; readonly modelId?: string | undefined } | undefined
  readonly model?: { readonly provider?: string | undefined; readonly modelId?: string | undefined } | undefined
}

/**
 * A result of `generateText` or `ToolLoopAgent.generate` of `ai` 6 or 7. For `streamText`, pass an object of its
 * awaited fields. Every field may be missing or malformed; other fields are not read.
 */
export interface AiSdkResult {
  readonly text?: string | undefined
  readonly output?: unknown
  readonly files?: readonly unknown[] | undefined
  readonly finishReason?: string | undefined
  readonly rawFinishReason?: string | undefined
  readonly usage?: AiSdkUsage | undefined
  readonly warnings?: readonly unknown[] | undefined
  readonly response?: { readonly id?: string | undefined; readonly modelId?: string | undefined } | undefined
  readonly steps?: readonly AiSdkStep[] | undefined
}

/** A provider's language model object, of specification `v3` (`ai` 6) or `v4` (`ai` 7). */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  doGenerate(options: never): PromiseLike<unknown>
}

export const prefix = 'ai-sdk'

const bridge = bridgeOf<AiSdkResult, ContextExtras & FinishOptions>({
  name: 'AiSdk',
  prefix,
  read: (result, extras) => readAiSdk(result, extras).outcome,
  rules: finishRules,
})

/**
 * Creates a context from a result of `generateText` or `ToolLoopAgent.generate` of `ai` 6 or 7. The finish reasons
 * `stop` and `tool-calls` mean `success`, `length` means `success` with the fact `truncated`, `content-filter` means
 * `refused`, `error` and `interrupted` mean `failed`, all others `unknown`.
 *
 * @throws `option-invalid` or `metadata-reserved` for invalid extras, never for a malformed result
 *
 * @example
 * import { openai } from '@ai-sdk/openai'
 * import { contextFromAiSdk } from '@jurist/bridges/ai-sdk'
 * import { outputText, runJudge } from '@jurist/core'
 * import { generateText } from 'ai'
 *
 * const result = await generateText({ model: openai('gpt-5-mini'), prompt: 'Say hello' })
 * const judgment = await runJudge(outputText({ contains: 'hello' }), contextFromAiSdk(result, { goal: 'Say hello' }))
 */
export const contextFromAiSdk: ContextFrom<AiSdkResult, ContextExtras & FinishOptions> = bridge.contextFrom

/**
 * Runs the AI SDK once and returns a context, also when it fails.
 *
 * @example
 * import { openai } from '@ai-sdk/openai'
 * import { observeAiSdk } from '@jurist/bridges/ai-sdk'
 * import { generateText } from 'ai'
 *
 * const model = openai('gpt-5-mini')
 * const run = (abortSignal: AbortSignal) => generateText({ model, prompt: 'Say hello', abortSignal })
 * const { context, result } = await observeAiSdk(run, { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const observeAiSdk: Observe<AiSdkResult> = bridge.observe

/**
 * Runs the AI SDK once and judges the result, also when it fails.
 *
 * @example
 * import { openai } from '@ai-sdk/openai'
 * import { evaluateAiSdk } from '@jurist/bridges/ai-sdk'
 * import { outputText } from '@jurist/core'
 * import { generateText } from 'ai'
 *
 * const model = openai('gpt-5-mini')
 * const run = (abortSignal: AbortSignal) => generateText({ model, prompt: 'Say hello', abortSignal })
 * await evaluateAiSdk(run, outputText({ contains: 'hello' }), { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const evaluateAiSdk: Evaluate<AiSdkResult> = bridge.evaluate

/**
 * Creates an agent that calls the AI SDK.
 *
 * @param generate calls `generateText` or `ToolLoopAgent.generate` once; it must pass on `task.signal`
 * @throws `option-invalid`
 *
 * @example
 * import { openai } from '@ai-sdk/openai'
 * import { aiSdkAgent } from '@jurist/bridges/ai-sdk'
 * import { ToolLoopAgent } from 'ai'
 *
 * const loop = new ToolLoopAgent({ model: openai('gpt-5-mini') })
 * const agent = aiSdkAgent(({ prompt, signal }) => loop.generate({ prompt, abortSignal: signal }))
 */
export function aiSdkAgent(
  generate: (task: AgentTask) => PromiseLike<AiSdkResult>,
  options?: { readonly prices?: Prices } & FinishOptions,
): Agent {
  const { prices, ...finish } = checkOptions('aiSdkAgent', options, { prices: pricesRule, ...finishRules })
  const read = (result: AiSdkResult) => readAiSdk(result, finish)
  return frameworkAgent({ name: 'aiSdkAgent', prefix, call: generate, read, prices })
}
