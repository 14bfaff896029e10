import type { JudgmentContext } from '@jurist/core'
import type { OptionRule } from '@jurist/core/internal'
import type { ContextExtras } from '../context/extras.js'
import { checkExtras, contextRules } from '../context/extras.js'
import type { BridgeKeys } from '../context/keys.js'
import { keysOf } from '../context/keys.js'
import { contextOf } from '../context/outcome.js'
import type { Evaluate, Observe } from '../run/observe.js'
import { evaluateWith, observeWith } from '../run/observe.js'
import { readLangChain } from './reading.js'
import type { LangChainDocument, LangChainResult } from './shape.js'

/** The prefix of the metadata keys. */
export const prefix = 'langchain'

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
