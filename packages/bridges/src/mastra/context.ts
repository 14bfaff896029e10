import type { JudgmentContext } from '@jurist/core'
import type { ContextExtras, FinishOptions } from '../context/extras.js'
import { checkExtras, contextRules, finishRules } from '../context/extras.js'
import type { BridgeKeys } from '../context/keys.js'
import { keysOf } from '../context/keys.js'
import { contextOf } from '../context/outcome.js'
import type { Evaluate, Observe } from '../run/observe.js'
import { evaluateWith, observeWith } from '../run/observe.js'
import { readMastra } from './reading.js'
import type { MastraResult } from './shape.js'

/** The prefix of the metadata keys. */
export const prefix = 'mastra'

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
