import { bridgeOf, type ContextFrom, type Evaluate, type Observe } from '../run/bridge.js'
import { readClaude } from './reading.js'
import { prefix } from './settings.js'

/** A message of the SDK's `query`. Its other fields are read at run time and may be missing or malformed. */
export interface ClaudeMessage {
  readonly type: string
  readonly subtype?: string
}

/** `query` of the Claude Agent SDK. The bridge builds `{ prompt, options }`. */
export type ClaudeQuery = (input: never) => AsyncIterable<ClaudeMessage>

/** The messages of one run in order, or the result message alone. */
export type ClaudeRun = readonly ClaudeMessage[] | ClaudeMessage

const bridge = bridgeOf<ClaudeRun>({
  name: 'ClaudeAgent',
  prefix,
  read: (run, { workspace }) => readClaude(run, workspace?.root),
})

/**
 * Creates a context from the messages of one `query`, or from its result message. Tools are known only from all
 * messages.
 *
 * @throws `option-invalid` or `metadata-reserved` for invalid extras, never for malformed messages
 *
 * @example
 * import { query } from '@anthropic-ai/claude-agent-sdk'
 * import { contextFromClaudeAgent } from '@jurist/bridges/claude-agent'
 *
 * const messages = []
 * for await (const message of query({ prompt: 'Say hello' })) messages.push(message)
 * const context = contextFromClaudeAgent(messages, { goal: 'Say hello' })
 */
export const contextFromClaudeAgent: ContextFrom<ClaudeRun> = bridge.contextFrom

/**
 * Runs a `query` once and returns a context, also when it fails. The run must return its messages.
 *
 * @example
 * import { query } from '@anthropic-ai/claude-agent-sdk'
 * import { observeClaudeAgent } from '@jurist/bridges/claude-agent'
 *
 * const run = async () => {
 *   const messages = []
 *   for await (const message of query({ prompt: 'Say hello' })) messages.push(message)
 *   return messages
 * }
 * const { context, result } = await observeClaudeAgent(run, { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const observeClaudeAgent: Observe<ClaudeRun> = bridge.observe

/**
 * Runs a `query` once and judges the result, also when it fails. The run must return its messages.
 *
 * @example
 * import { query } from '@anthropic-ai/claude-agent-sdk'
 * import { evaluateClaudeAgent } from '@jurist/bridges/claude-agent'
 * import { outputText } from '@jurist/core'
 *
 * const run = async () => {
 *   const messages = []
 *   for await (const message of query({ prompt: 'Say hello' })) messages.push(message)
 *   return messages
 * }
 * await evaluateClaudeAgent(run, outputText({ contains: 'hello' }), { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const evaluateClaudeAgent: Evaluate<ClaudeRun> = bridge.evaluate
