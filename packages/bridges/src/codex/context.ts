import type { JudgmentContext } from '@jurist/core'
import type { ContextExtras } from '../context/extras.js'
import { checkExtras, contextRules } from '../context/extras.js'
import type { BridgeKeys } from '../context/keys.js'
import { keysOf } from '../context/keys.js'
import { contextOf } from '../context/outcome.js'
import type { Evaluate, Observe } from '../run/observe.js'
import { evaluateWith, observeWith } from '../run/observe.js'
import { readCodex } from './reading.js'
import { prefix } from './settings.js'
import type { CodexRun } from './shape.js'

/** The metadata keys of runs of Codex. */
export const codexKeys: BridgeKeys<'codex'> = keysOf(prefix)

/**
 * A context of what `thread.run` resolved to, or of the events of `thread.runStreamed`.
 *
 * @throws `option-invalid` or `metadata-reserved` for bad extras, never for a strange turn
 *
 * @example
 * const context = contextFromCodex(await codex.startThread().run('Say hello'), { goal: 'Say hello' })
 */
export function contextFromCodex(run: CodexRun, extras: ContextExtras): JudgmentContext {
  const checked = checkExtras('contextFromCodex', prefix, extras, contextRules)
  return contextOf(prefix, readCodex(run, checked.workspace?.root), checked)
}

/** Runs a turn once and makes a context of whatever happened. */
export const observeCodex: Observe<CodexRun> = observeWith({
  name: 'observeCodex',
  prefix,
  contextFrom: contextFromCodex,
})

/**
 * Runs a turn once and judges what happened, also a failure.
 *
 * @example
 * const once = (signal: AbortSignal) => codex.startThread().run('Say hello', { signal })
 * await evaluateCodex(once, outputText({ contains: 'hello' }), { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const evaluateCodex: Evaluate<CodexRun> = evaluateWith(observeCodex)
