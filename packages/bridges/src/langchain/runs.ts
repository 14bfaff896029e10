import type { Agent, AgentTask, JudgmentContext } from '@jurist/core'
import { checkOptions, type OptionRule } from '@jurist/core/internal'
import { type Prices, pricesRule } from '../context/cost.js'
import { type ContextExtras, checkExtras, contextRules } from '../context/extras.js'
import { contextOf } from '../context/outcome.js'
import { type BridgeKeys, keysOf } from '../context/run-facts.js'
import { frameworkAgent } from '../run/framework-agent.js'
import { type Evaluate, evaluateWith, type Observe, observeWith } from '../run/observe.js'
import type { LangChainDocument } from './messages.js'
import { readLangChain } from './reading.js'

/** What is read of a message: any class of LangChain, recognised by its `type` (`ai`, `tool`, `human`, `system`). */
export interface LangChainMessage {
  readonly type: string
  readonly content: unknown
  readonly id?: string | undefined
}

/** What a run resolved to: one message, a list of messages, or the state of an agent. */
export type LangChainResult =
  | LangChainMessage
  | readonly LangChainMessage[]
  | { readonly messages: readonly LangChainMessage[]; readonly structuredResponse?: unknown }

/** What is called of a chat model, or of a runnable made of one. */
export interface LangChainModel {
  invoke(messages: never, options?: never): PromiseLike<unknown>
}

/** The prefix of the metadata keys. */
const prefix = 'langchain'

/** The metadata keys of contexts made of results of LangChain. */
export const langChainKeys: BridgeKeys<'langchain'> = keysOf(prefix)

/** What a result does not say. */
export interface LangChainExtras extends ContextExtras {
  /** What was retrieved. Default: the documents that tools gave back as their `artifact`. */
  readonly documents?: readonly LangChainDocument[]
}

const documentsRule: OptionRule = { wants: 'a list of documents', holds: Array.isArray }

/**
 * A context of a message, of messages, or of an agent's state of LangChain. Only what came after the last message of a
 * human counts. Finish reasons are read whatever the provider calls them; without one, a last text that waits for no tool
 * is a success.
 *
 * @throws `option-invalid` or `metadata-reserved` for bad extras, never for a strange result
 *
 * @example
 * const state = await agent.invoke({ messages: [{ role: 'user', content: 'Say hello' }] })
 * const judgment = await runJudge(outputText({ contains: 'hello' }), contextFromLangChain(state, { goal: 'Say hello' }))
 */
export function contextFromLangChain(result: LangChainResult, extras: LangChainExtras): JudgmentContext {
  const rules = { ...contextRules, documents: documentsRule }
  const checked = checkExtras('contextFromLangChain', prefix, extras, rules)
  return contextOf(prefix, readLangChain(result, checked.documents).outcome, checked)
}

/** Runs LangChain once and makes a context of whatever happened. */
export const observeLangChain: Observe<LangChainResult> = observeWith({
  name: 'observeLangChain',
  prefix,
  contextFrom: contextFromLangChain,
})

/**
 * Runs LangChain once and judges what happened, also a failure.
 *
 * @example
 * const run = (signal: AbortSignal) => agent.invoke({ messages }, { signal })
 * await evaluateLangChain(run, faithfulness({ model }), { goal: 'Answer from the documents' })
 */
export const evaluateLangChain: Evaluate<LangChainResult> = evaluateWith(observeLangChain)

/**
 * An agent that calls LangChain. The function must hand `task.signal` on.
 *
 * @param invoke one call of a model, a chain or an agent
 * @throws `option-invalid`
 *
 * @example
 * const agent = langChainAgent(({ prompt, signal }) =>
 *   graph.invoke({ messages: [{ role: 'user', content: prompt }] }, { signal }))
 */
export function langChainAgent(
  invoke: (task: AgentTask) => PromiseLike<LangChainResult>,
  options?: { readonly prices?: Prices },
): Agent {
  const { prices } = checkOptions('langChainAgent', options, { prices: pricesRule })
  const run = frameworkAgent({ prefix, call: invoke, read: (result) => readLangChain(result), prices })
  return function langChainAgent(task) {
    return run(task)
  }
}
