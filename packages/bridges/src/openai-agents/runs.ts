import type { Agent, AgentTask } from '@jurist/core'
import { checkOptions, option } from '@jurist/core/internal'
import { type Prices, pricesRule } from '../context/cost.js'
import { bridgeOf, type ContextFrom, type Evaluate, type Observe } from '../run/bridge.js'
import { frameworkAgent } from '../run/framework-agent.js'
import { readOpenAiAgents, readThrown } from './reading.js'

/** A model's response. Every field may be missing or malformed; other fields are not read. */
export interface OpenAiAgentsResponse {
  readonly usage?:
    | {
        readonly inputTokens?: number | undefined
        readonly outputTokens?: number | undefined
        readonly totalTokens?: number | undefined
        readonly inputTokensDetails?: readonly object[] | undefined
        readonly outputTokensDetails?: readonly object[] | undefined
      }
    | undefined
  readonly output?: readonly object[] | undefined
  readonly responseId?: string | undefined
}

/** A result of `run`. Every field may be missing or malformed; other fields are not read. */
export interface OpenAiAgentsResult {
  readonly finalOutput?: unknown
  readonly newItems?: readonly object[] | undefined
  readonly rawResponses?: readonly OpenAiAgentsResponse[] | undefined
  readonly lastResponseId?: string | undefined
  readonly lastAgent?: { readonly name?: string | undefined } | undefined
  readonly interruptions?: readonly object[] | undefined
}

const prefix = 'openai-agents'

const bridge = bridgeOf<OpenAiAgentsResult>({
  name: 'OpenAiAgents',
  prefix,
  read: (result) => readOpenAiAgents(result).outcome,
  readThrown,
})

/**
 * Creates a context from a result of `run` of `@openai/agents`. With a final output the status is `success`; while tool
 * calls wait for approval it is `unknown`, with the warning `awaiting-approval`; a refusal alone is `refused`.
 *
 * @throws `option-invalid` or `metadata-reserved` for invalid extras, never for a malformed result
 *
 * @example
 * import { contextFromOpenAiAgents } from '@jurist/bridges/openai-agents'
 * import { outputText, runJudge } from '@jurist/core'
 * import { Agent, run } from '@openai/agents'
 *
 * const assistant = new Agent({ name: 'assistant', instructions: 'Be brief.' })
 * const result = await run(assistant, 'Say hello')
 * const judgment = await runJudge(outputText({ contains: 'hello' }), contextFromOpenAiAgents(result, { goal: 'Say hello' }))
 */
export const contextFromOpenAiAgents: ContextFrom<OpenAiAgentsResult> = bridge.contextFrom

/**
 * Runs the SDK once and returns a context, also when it fails. A reached turn limit is `failed` with the code `max-turns`.
 *
 * @example
 * import { observeOpenAiAgents } from '@jurist/bridges/openai-agents'
 * import { Agent, run } from '@openai/agents'
 *
 * const assistant = new Agent({ name: 'assistant', instructions: 'Be brief.' })
 * const once = (signal: AbortSignal) => run(assistant, 'Say hello', { signal })
 * const { context, result } = await observeOpenAiAgents(once, { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const observeOpenAiAgents: Observe<OpenAiAgentsResult> = bridge.observe

/**
 * Runs the SDK once and judges the result, also when it fails.
 *
 * @example
 * import { evaluateOpenAiAgents } from '@jurist/bridges/openai-agents'
 * import { outputText } from '@jurist/core'
 * import { Agent, run } from '@openai/agents'
 *
 * const assistant = new Agent({ name: 'assistant', instructions: 'Be brief.' })
 * const once = (signal: AbortSignal) => run(assistant, 'Say hello', { signal })
 * await evaluateOpenAiAgents(once, outputText({ contains: 'hello' }), { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const evaluateOpenAiAgents: Evaluate<OpenAiAgentsResult> = bridge.evaluate

/** The options of `openAiAgentsAgent`. */
export interface OpenAiAgentsAgentOptions {
  /** The model that the agents use, for the journal and the cost: results do not include it. */
  readonly model?: string
  /** Prices by model, to compute the cost of a run. */
  readonly prices?: Prices
}

/**
 * Creates an agent that runs agents of the OpenAI Agents SDK.
 *
 * @param run calls `run` once; it must pass on `task.signal`
 * @throws `option-invalid`
 *
 * @example
 * import { openAiAgentsAgent } from '@jurist/bridges/openai-agents'
 * import { Agent, run } from '@openai/agents'
 *
 * const assistant = new Agent({ name: 'assistant', instructions: 'Be brief.' })
 * const agent = openAiAgentsAgent(({ prompt, signal }) => run(assistant, prompt, { signal }), { model: 'gpt-5-mini' })
 */
export function openAiAgentsAgent(
  run: (task: AgentTask) => PromiseLike<OpenAiAgentsResult>,
  options?: OpenAiAgentsAgentOptions,
): Agent {
  const { model, prices } = checkOptions('openAiAgentsAgent', options, { model: option.string, prices: pricesRule })
  const read = (result: OpenAiAgentsResult) => readOpenAiAgents(result, model)
  const broken = (thrown: unknown, warnings: string[]) => {
    const more = readThrown(thrown, warnings)
    // The usage before the error belongs to this model.
    return { ...more, facts: { ...more.facts, model } }
  }
  return frameworkAgent({ name: 'openAiAgentsAgent', prefix, call: run, read, readThrown: broken, prices })
}
