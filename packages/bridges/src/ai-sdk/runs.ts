import type { Agent, AgentTask, JudgmentContext } from '@jurist/core'
import { checkOptions } from '@jurist/core/internal'
import { type Prices, pricesRule } from '../context/cost.js'
import { type ContextExtras, checkExtras, contextRules, type FinishOptions, finishRules } from '../context/extras.js'
import { contextOf } from '../context/outcome.js'
import { type BridgeKeys, keysOf } from '../context/run-facts.js'
import { frameworkAgent } from '../run/framework-agent.js'
import { type Evaluate, evaluateWith, type Observe, observeWith } from '../run/observe.js'
import { readAiSdk } from './reading.js'

/** What is read of a usage of the AI SDK. */
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

/** What is read of one step; every field may be missing or malformed. */
interface AiSdkStep {
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
 * What is read of the result of `generateText` or `ToolLoopAgent.generate` of `ai` 6 and 7; for `streamText`, an object
 * of its awaited fields. Every field may be missing or malformed.
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

/** A language model object of a provider, of specification `v3` (`ai` 6) or `v4` (`ai` 7). */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  doGenerate(options: never): PromiseLike<unknown>
}

/** The prefix of the metadata keys. */
const prefix = 'ai-sdk'

/** The metadata keys of contexts made of results of the AI SDK. */
export const aiSdkKeys: BridgeKeys<'ai-sdk'> = keysOf(prefix)

/**
 * A context of what `generateText` or `ToolLoopAgent.generate` of `ai` 6 or 7 resolved to. Finish reasons `stop` and
 * `tool-calls` are a success, `length` is one with the fact `truncated`, `content-filter` is `refused`, `error` and
 * `interrupted` are failed, anything else is unknown.
 *
 * @throws `option-invalid` or `metadata-reserved` for bad extras, never for a strange result
 *
 * @example
 * const result = await generateText({ model, prompt: 'Say hello' })
 * const judgment = await runJudge(outputText({ contains: 'hello' }), contextFromAiSdk(result, { goal: 'Say hello' }))
 */
export function contextFromAiSdk(result: AiSdkResult, extras: ContextExtras & FinishOptions): JudgmentContext {
  const checked = checkExtras('contextFromAiSdk', prefix, extras, { ...contextRules, ...finishRules })
  return contextOf(prefix, readAiSdk(result, checked).outcome, checked)
}

/** Runs the AI SDK once and makes a context of whatever happened. */
export const observeAiSdk: Observe<AiSdkResult> = observeWith({
  name: 'observeAiSdk',
  prefix,
  contextFrom: contextFromAiSdk,
})

/**
 * Runs the AI SDK once and judges what happened, also a failure.
 *
 * @example
 * const run = (abortSignal: AbortSignal) => generateText({ model, prompt: 'Say hello', abortSignal })
 * await evaluateAiSdk(run, outputText({ contains: 'hello' }), { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const evaluateAiSdk: Evaluate<AiSdkResult> = evaluateWith(observeAiSdk)

/**
 * An agent that calls the AI SDK. The function must hand `task.signal` on.
 *
 * @param generate one call of `generateText` or `ToolLoopAgent.generate`
 * @throws `option-invalid`
 *
 * @example
 * const agent = aiSdkAgent(({ prompt, signal }) => loop.generate({ prompt, abortSignal: signal }))
 */
export function aiSdkAgent(
  generate: (task: AgentTask) => PromiseLike<AiSdkResult>,
  options?: { readonly prices?: Prices } & FinishOptions,
): Agent {
  const { prices, ...finish } = checkOptions('aiSdkAgent', options, { prices: pricesRule, ...finishRules })
  const run = frameworkAgent({ prefix, call: generate, read: (result) => readAiSdk(result, finish), prices })
  return function aiSdkAgent(task) {
    return run(task)
  }
}
