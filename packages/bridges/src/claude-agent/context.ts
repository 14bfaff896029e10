import type { JudgmentContext } from '@jurist/core'
import { type ContextExtras, checkExtras, contextRules } from '../context/extras.js'
import { contextOf } from '../context/outcome.js'
import { type BridgeKeys, keysOf } from '../context/run-facts.js'
import { type Evaluate, evaluateWith, type Observe, observeWith } from '../run/observe.js'
import { readClaude } from './reading.js'
import { prefix } from './settings.js'

/** What the SDK's `query` gives out, as far as it is told apart here; every other field is read with care. */
export interface ClaudeMessage {
  readonly type: string
  readonly subtype?: string
}

/** `query` of the Claude Agent SDK. The bridge builds `{ prompt, options }`. */
export type ClaudeQuery = (input: never) => AsyncIterable<ClaudeMessage>

/** The messages of one run, in order, or the result message alone. */
export type ClaudeRun = readonly ClaudeMessage[] | ClaudeMessage

/**
 * The metadata keys of runs of Claude; `modelUsage`: what each model was asked, as reported; `apiMs`: milliseconds that
 * the service took.
 */
export const claudeKeys: BridgeKeys<'claude', 'modelUsage' | 'apiMs'> = keysOf(prefix, 'modelUsage', 'apiMs')

/**
 * A context of the messages of one `query`, or of its result message. Tools are known only from all messages.
 *
 * @throws `option-invalid` or `metadata-reserved` for bad extras, never for strange messages
 *
 * @example
 * const messages = await Array.fromAsync(query({ prompt: 'Say hello' }))
 * const context = contextFromClaudeAgent(messages, { goal: 'Say hello' })
 */
export function contextFromClaudeAgent(run: ClaudeRun, extras: ContextExtras): JudgmentContext {
  const checked = checkExtras('contextFromClaudeAgent', prefix, extras, contextRules)
  return contextOf(prefix, readClaude(run, checked.workspace?.root), checked)
}

/** Runs a `query` once and makes a context of whatever happened; the run gives its messages. */
export const observeClaudeAgent: Observe<ClaudeRun> = observeWith({
  name: 'observeClaudeAgent',
  prefix,
  contextFrom: contextFromClaudeAgent,
})

/**
 * Runs a `query` once and judges what happened, also a failure.
 *
 * @example
 * const once = () => Array.fromAsync(query({ prompt: 'Say hello' }))
 * await evaluateClaudeAgent(once, outputText({ contains: 'hello' }), { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const evaluateClaudeAgent: Evaluate<ClaudeRun> = evaluateWith(observeClaudeAgent)
