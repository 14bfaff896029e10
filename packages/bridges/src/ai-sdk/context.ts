import type { JudgmentContext } from '@jurist/core'
import type { ContextExtras, FinishOptions } from '../context/extras.js'
import { checkExtras, contextRules, finishRules } from '../context/extras.js'
import type { BridgeKeys } from '../context/keys.js'
import { keysOf } from '../context/keys.js'
import { contextOf } from '../context/outcome.js'
import type { Evaluate, Observe } from '../run/observe.js'
import { evaluateWith, observeWith } from '../run/observe.js'
import { readAiSdk } from './reading.js'
import type { AiSdkResult } from './shape.js'

/** The prefix of the metadata keys. */
export const prefix = 'ai-sdk'

/** The metadata keys of contexts made of results of the AI SDK. */
export const aiSdkKeys: BridgeKeys<'ai-sdk'> = keysOf(prefix)

/**
 * A context of what `generateText` or `ToolLoopAgent.generate` of `ai` 6 or 7 resolved to. Finish reasons `stop` and
 * `tool-calls` are a success, `length` is one with the fact `truncated`, `content-filter` is `refused`, `error` and
 * `interrupted` are failed, anything else is unknown.
 *
 * @throws `option-invalid` or `metadata-reserved` for bad extras, never for a strange result
 *
 * @example
 * const result = await generateText({ model, prompt: 'Say hello' })
 * const judgment = await runJudge(outputText({ contains: 'hello' }), contextFromAiSdk(result, { goal: 'Say hello' }))
 */
export function contextFromAiSdk(result: AiSdkResult, extras: ContextExtras & FinishOptions): JudgmentContext {
  const checked = checkExtras('contextFromAiSdk', prefix, extras, { ...contextRules, ...finishRules })
  return contextOf(prefix, readAiSdk(result, checked).outcome, checked)
}

/** Runs the AI SDK once and makes a context of whatever happened. */
export const observeAiSdk: Observe<AiSdkResult> = observeWith({
  name: 'observeAiSdk',
  prefix,
  contextFrom: contextFromAiSdk,
})

/**
 * Runs the AI SDK once and judges what happened, also a failure.
 *
 * @example
 * const run = (abortSignal: AbortSignal) => generateText({ model, prompt: 'Say hello', abortSignal })
 * await evaluateAiSdk(run, outputText({ contains: 'hello' }), { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const evaluateAiSdk: Evaluate<AiSdkResult> = evaluateWith(observeAiSdk)
