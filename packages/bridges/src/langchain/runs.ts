import type { Agent, AgentTask } from '@jurist/core'
import { checkOptions } from '@jurist/core/internal'
import { type Prices, pricesRule } from '../context/cost.js'
import type { ContextExtras } from '../context/extras.js'
import { bridgeOf, type ContextFrom, type Evaluate, type Observe } from '../run/bridge.js'
import { frameworkAgent } from '../run/framework-agent.js'
import type { LangChainDocument } from './reading.js'
import { readLangChain } from './reading.js'

/** A message of any class of LangChain, recognised by its `type` (`ai`, `tool`, `human`, `system`). */
export interface LangChainMessage {
  readonly type: string
  readonly content: unknown
  readonly id?: string | undefined
}

/** The result of a run: one message, an array of messages, or the state of an agent. */
export type LangChainResult =
  | LangChainMessage
  | readonly LangChainMessage[]
  | { readonly messages: readonly LangChainMessage[]; readonly structuredResponse?: unknown }

/** A chat model, or a runnable made of one. */
export interface LangChainModel {
  invoke(messages: never, options?: never): PromiseLike<unknown>
}

export const prefix = 'langchain'

/** The parts of a context that a result does not include. */
export interface LangChainExtras extends ContextExtras {
  /** The retrieved documents. Default: those that tools returned as their `artifact`. */
  readonly documents?: readonly LangChainDocument[]
}

const bridge = bridgeOf<LangChainResult, LangChainExtras>({
  name: 'LangChain',
  prefix,
  read: (result, { documents }) => readLangChain(result, documents).outcome,
  rules: { documents: { wants: 'an array of documents', holds: Array.isArray } },
})

/**
 * Creates a context from a message, from messages, or from an agent's state of LangChain. Only messages after the last
 * human message count. Finish reasons of all providers are known; without one, a last text without an open tool call is
 * a success.
 *
 * @throws `option-invalid` or `metadata-reserved` for invalid extras, never for a malformed result
 *
 * @example
 * import { contextFromLangChain } from '@jurist/bridges/langchain'
 * import { outputText, runJudge } from '@jurist/core'
 * import { ChatOpenAI } from '@langchain/openai'
 *
 * const message = await new ChatOpenAI({ model: 'gpt-5-mini' }).invoke('Say hello')
 * const judgment = await runJudge(outputText({ contains: 'hello' }), contextFromLangChain(message, { goal: 'Say hello' }))
 */
export const contextFromLangChain: ContextFrom<LangChainResult, LangChainExtras> = bridge.contextFrom

/**
 * Runs LangChain once and returns a context, also when it fails.
 *
 * @example
 * import { observeLangChain } from '@jurist/bridges/langchain'
 * import { ChatOpenAI } from '@langchain/openai'
 *
 * const chat = new ChatOpenAI({ model: 'gpt-5-mini' })
 * const run = (signal: AbortSignal) => chat.invoke('Say hello', { signal })
 * const { context, result } = await observeLangChain(run, { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const observeLangChain: Observe<LangChainResult> = bridge.observe

/**
 * Runs LangChain once and judges the result, also when it fails.
 *
 * @example
 * import { evaluateLangChain } from '@jurist/bridges/langchain'
 * import { outputText } from '@jurist/core'
 * import { ChatOpenAI } from '@langchain/openai'
 *
 * const chat = new ChatOpenAI({ model: 'gpt-5-mini' })
 * const run = (signal: AbortSignal) => chat.invoke('Say hello', { signal })
 * await evaluateLangChain(run, outputText({ contains: 'hello' }), { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const evaluateLangChain: Evaluate<LangChainResult> = bridge.evaluate

/**
 * Creates an agent that calls LangChain.
 *
 * @param invoke calls a model, a chain or an agent once; it must pass on `task.signal`
 * @throws `option-invalid`
 *
 * @example
 * import { langChainAgent } from '@jurist/bridges/langchain'
 * import { ChatOpenAI } from '@langchain/openai'
 *
 * const chat = new ChatOpenAI({ model: 'gpt-5-mini' })
 * const agent = langChainAgent(({ prompt, signal }) => chat.invoke(prompt, { signal }))
 */
export function langChainAgent(
  invoke: (task: AgentTask) => PromiseLike<LangChainResult>,
  options?: { readonly prices?: Prices },
): Agent {
  const { prices } = checkOptions('langChainAgent', options, { prices: pricesRule })
  const read = (result: LangChainResult) => readLangChain(result)
  return frameworkAgent({ name: 'langChainAgent', prefix, call: invoke, read, prices })
}
