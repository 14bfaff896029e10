import type { Agent, AgentTask } from '@jurist/core'
import { checkOptions } from '@jurist/core/internal'
import type { AiSdkUsage } from '../ai-sdk/runs.js'
import { type Prices, pricesRule } from '../context/cost.js'
import { type ContextExtras, type FinishOptions, finishRules } from '../context/extras.js'
import { bridgeOf, type ContextFrom, type Evaluate, type Observe } from '../run/bridge.js'
import { frameworkAgent } from '../run/framework-agent.js'
import { readMastra } from './reading.js'

/** A step of a result. Every field may be missing or malformed; other fields are not read. */
export interface MastraStep {
  readonly text?: string | undefined
  readonly usage?: AiSdkUsage | undefined
  readonly finishReason?: string | undefined
  readonly response?: { readonly modelId?: string | undefined } | undefined
  readonly toolCalls?: readonly object[] | undefined
}

/** A result of `agent.generate`. Every field may be missing or malformed; other fields are not read. */
export interface MastraResult {
  readonly text?: string | undefined
  readonly object?: unknown
  readonly finishReason?: string | undefined
  readonly totalUsage?: AiSdkUsage | undefined
  readonly steps?: readonly MastraStep[] | undefined
  readonly toolCalls?: readonly object[] | undefined
  readonly toolResults?: readonly object[] | undefined
  readonly sources?: readonly object[] | undefined
  readonly warnings?: readonly unknown[] | undefined
  readonly response?: { readonly id?: string | undefined; readonly modelId?: string | undefined } | undefined
  readonly error?: unknown
  readonly tripwire?: unknown
  readonly tripwireReason?: string | undefined
  readonly traceId?: string | undefined
}

const prefix = 'mastra'

const bridge = bridgeOf<MastraResult, ContextExtras & FinishOptions>({
  name: 'Mastra',
  prefix,
  read: (result, extras) => readMastra(result, extras).outcome,
  rules: finishRules,
})

/**
 * Creates a context from a result of Mastra's `agent.generate`. Finish reasons are those of the AI SDK; an `error`
 * means `failed`, a tripwire `refused`.
 *
 * @throws `option-invalid` or `metadata-reserved` for invalid extras, never for a malformed result
 *
 * @example
 * import { contextFromMastra } from '@jurist/bridges/mastra'
 * import { outputText, runJudge } from '@jurist/core'
 * import type { Agent } from '@mastra/core/agent'
 *
 * async function greeted(assistant: Agent) {
 *   const result = await assistant.generate('Say hello')
 *   return runJudge(outputText({ contains: 'hello' }), contextFromMastra(result, { goal: 'Say hello' }))
 * }
 */
export const contextFromMastra: ContextFrom<MastraResult, ContextExtras & FinishOptions> = bridge.contextFrom

/**
 * Runs Mastra once and returns a context, also when it fails.
 *
 * @example
 * import { observeMastra } from '@jurist/bridges/mastra'
 * import type { Agent } from '@mastra/core/agent'
 *
 * function observed(assistant: Agent) {
 *   const run = (abortSignal: AbortSignal) => assistant.generate('Say hello', { abortSignal })
 *   return observeMastra(run, { goal: 'Say hello', timeoutMs: 60_000 })
 * }
 */
export const observeMastra: Observe<MastraResult> = bridge.observe

/**
 * Runs Mastra once and judges the result, also when it fails.
 *
 * @example
 * import { evaluateMastra } from '@jurist/bridges/mastra'
 * import { outputText } from '@jurist/core'
 * import type { Agent } from '@mastra/core/agent'
 *
 * function greeted(assistant: Agent) {
 *   const run = (abortSignal: AbortSignal) => assistant.generate('Say hello', { abortSignal })
 *   return evaluateMastra(run, outputText({ contains: 'hello' }), { goal: 'Say hello', timeoutMs: 60_000 })
 * }
 */
export const evaluateMastra: Evaluate<MastraResult> = bridge.evaluate

/**
 * Creates an agent that calls an agent of Mastra.
 *
 * @param generate calls `agent.generate` once; it must pass on `task.signal`
 * @throws `option-invalid`
 *
 * @example
 * import { mastraAgent } from '@jurist/bridges/mastra'
 * import type { Agent } from '@mastra/core/agent'
 *
 * const agentOf = (assistant: Agent) =>
 *   mastraAgent(({ prompt, signal }) => assistant.generate(prompt, { abortSignal: signal }))
 */
export function mastraAgent(
  generate: (task: AgentTask) => PromiseLike<MastraResult>,
  options?: { readonly prices?: Prices } & FinishOptions,
): Agent {
  const { prices, ...finish } = checkOptions('mastraAgent', options, { prices: pricesRule, ...finishRules })
  const read = (result: MastraResult) => readMastra(result, finish)
  return frameworkAgent({ name: 'mastraAgent', prefix, call: generate, read, prices })
}
