import type { JudgmentContext } from '@jurist/core'
import type { ContextExtras } from '../context/extras.js'
import { checkExtras, contextRules } from '../context/extras.js'
import type { BridgeKeys } from '../context/keys.js'
import { keysOf } from '../context/keys.js'
import { contextOf } from '../context/outcome.js'
import type { Evaluate, Observe } from '../run/observe.js'
import { evaluateWith, observeWith } from '../run/observe.js'
import { readClaude } from './reading.js'
import { prefix } from './settings.js'
import type { ClaudeRun } from './shape.js'

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
