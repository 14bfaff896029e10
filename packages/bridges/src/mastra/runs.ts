import type { Agent, AgentTask, JudgmentContext } from '@jurist/core'
import { checkOptions } from '@jurist/core/internal'
import type { AiSdkUsage } from '../ai-sdk/runs.js'
import { type Prices, pricesRule } from '../context/cost.js'
import { type ContextExtras, checkExtras, contextRules, type FinishOptions, finishRules } from '../context/extras.js'
import { contextOf } from '../context/outcome.js'
import { type BridgeKeys, keysOf } from '../context/run-facts.js'
import { frameworkAgent } from '../run/framework-agent.js'
import { type Evaluate, evaluateWith, type Observe, observeWith } from '../run/observe.js'
import { readMastra } from './reading.js'

/** What is read of one step of Mastra; every field may be missing or malformed. */
interface MastraStep {
  readonly text?: string | undefined
  readonly usage?: AiSdkUsage | undefined
  readonly finishReason?: string | undefined
  readonly response?: { readonly modelId?: string | undefined } | undefined
  readonly toolCalls?: readonly object[] | undefined
}

/** What is read of what `agent.generate` resolved to; every field may be missing or malformed. */
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

/** The prefix of the metadata keys. */
const prefix = 'mastra'

/** The metadata keys of contexts made of results of Mastra. */
export const mastraKeys: BridgeKeys<'mastra', 'tripwireReason' | 'traceId'> = keysOf(
  prefix,
  'tripwireReason',
  'traceId',
)

/**
 * A context of what `agent.generate` of Mastra resolved to. Finish reasons are those of the AI SDK; an `error` is failed, a
 * tripwire refused.
 *
 * @throws `option-invalid` or `metadata-reserved` for bad extras, never for a strange result
 *
 * @example
 * const result = await agent.generate('Say hello')
 * const judgment = await runJudge(outputText({ contains: 'hello' }), contextFromMastra(result, { goal: 'Say hello' }))
 */
export function contextFromMastra(result: MastraResult, extras: ContextExtras & FinishOptions): JudgmentContext {
  const checked = checkExtras('contextFromMastra', prefix, extras, { ...contextRules, ...finishRules })
  return contextOf(prefix, readMastra(result, checked).outcome, checked)
}

/** Runs Mastra once and makes a context of whatever happened. */
export const observeMastra: Observe<MastraResult> = observeWith({
  name: 'observeMastra',
  prefix,
  contextFrom: contextFromMastra,
})

/**
 * Runs Mastra once and judges what happened, also a failure.
 *
 * @example
 * const run = (abortSignal: AbortSignal) => agent.generate('Say hello', { abortSignal })
 * await evaluateMastra(run, outputText({ contains: 'hello' }), { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const evaluateMastra: Evaluate<MastraResult> = evaluateWith(observeMastra)

/**
 * An agent that calls an agent of Mastra. The function must hand `task.signal` on.
 *
 * @param generate one call of `agent.generate`
 * @throws `option-invalid`
 *
 * @example
 * const agent = mastraAgent(({ prompt, signal }) => assistant.generate(prompt, { abortSignal: signal }))
 */
export function mastraAgent(
  generate: (task: AgentTask) => PromiseLike<MastraResult>,
  options?: { readonly prices?: Prices } & FinishOptions,
): Agent {
  const { prices, ...finish } = checkOptions('mastraAgent', options, { prices: pricesRule, ...finishRules })
  const run = frameworkAgent({ prefix, call: generate, read: (result) => readMastra(result, finish), prices })
  return function mastraAgent(task) {
    return run(task)
  }
}
