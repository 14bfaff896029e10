import type { Agent, AgentTask, JudgmentContext } from '@jurist/core'
import { checkOptions, option } from '@jurist/core/internal'
import { type Prices, pricesRule } from '../context/cost.js'
import { type ContextExtras, checkExtras, contextRules } from '../context/extras.js'
import { contextOf } from '../context/outcome.js'
import { type BridgeKeys, keysOf } from '../context/run-facts.js'
import { frameworkAgent } from '../run/framework-agent.js'
import { type Evaluate, evaluateWith, type Observe, observeWith } from '../run/observe.js'
import { readOpenAiAgents, readThrown } from './reading.js'

/** What is read of one response of a model; every field may be missing or malformed. */
interface OpenAiAgentsResponse {
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

/** What is read of the result of `run`; every field may be missing or malformed. */
export interface OpenAiAgentsResult {
  readonly finalOutput?: unknown
  readonly newItems?: readonly object[] | undefined
  readonly rawResponses?: readonly OpenAiAgentsResponse[] | undefined
  readonly lastResponseId?: string | undefined
  readonly lastAgent?: { readonly name?: string | undefined } | undefined
  readonly interruptions?: readonly object[] | undefined
}

/** The prefix of the metadata keys. */
const prefix = 'openai-agents'

/** The metadata keys of contexts made of results of the OpenAI Agents SDK; `lastAgent` is the name of the last agent. */
export const openAiAgentsKeys: BridgeKeys<'openai-agents', 'lastAgent'> = keysOf(prefix, 'lastAgent')

/**
 * A context of what `run` of `@openai/agents` resolved to. With a final output the run is a success; while tools wait for
 * an approval it is unknown, with the warning `awaiting-approval`; a refusal alone is refused.
 *
 * @throws `option-invalid` or `metadata-reserved` for bad extras, never for a strange result
 *
 * @example
 * const result = await run(agent, 'Say hello')
 * const judgment = await runJudge(outputText({ contains: 'hello' }), contextFromOpenAiAgents(result, { goal: 'Say hello' }))
 */
export function contextFromOpenAiAgents(result: OpenAiAgentsResult, extras: ContextExtras): JudgmentContext {
  const checked = checkExtras('contextFromOpenAiAgents', prefix, extras, contextRules)
  return contextOf(prefix, readOpenAiAgents(result).outcome, checked)
}

/** Runs agents of the SDK once and makes a context of whatever happened. A limit of turns is `failed` with `max-turns`. */
export const observeOpenAiAgents: Observe<OpenAiAgentsResult> = observeWith({
  name: 'observeOpenAiAgents',
  prefix,
  contextFrom: contextFromOpenAiAgents,
  readThrown,
})

/**
 * Runs agents of the SDK once and judges what happened, also a failure.
 *
 * @example
 * const once = (signal: AbortSignal) => run(agent, 'Say hello', { signal })
 * await evaluateOpenAiAgents(once, outputText({ contains: 'hello' }), { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const evaluateOpenAiAgents: Evaluate<OpenAiAgentsResult> = evaluateWith(observeOpenAiAgents)

/** What the result does not say. */
export interface OpenAiAgentsAgentOptions {
  /** The model that the agents ask, for the journal and for prices. */
  readonly model?: string
  readonly prices?: Prices
}

/**
 * An agent that runs agents of the OpenAI Agents SDK. The function must hand `task.signal` on.
 *
 * @param run one call of `run`
 * @throws `option-invalid`
 *
 * @example
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
    // What was used up to then was used by that model.
    return { ...more, facts: { ...more.facts, model } }
  }
  const call = frameworkAgent({ prefix, call: run, read, readThrown: broken, prices })
  return function openAiAgentsAgent(task) {
    return call(task)
  }
}
