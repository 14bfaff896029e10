import type { JudgmentContext } from '@jurist/core'
import type { ContextExtras } from '../context/extras.js'
import { checkExtras, contextRules } from '../context/extras.js'
import type { BridgeKeys } from '../context/keys.js'
import { keysOf } from '../context/keys.js'
import { contextOf } from '../context/outcome.js'
import type { Evaluate, Observe } from '../run/observe.js'
import { evaluateWith, observeWith } from '../run/observe.js'
import { readOpenAiAgents, readThrown } from './reading.js'
import type { OpenAiAgentsResult } from './shape.js'

/** The prefix of the metadata keys. */
export const prefix = 'openai-agents'

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
