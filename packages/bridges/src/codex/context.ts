import type { JudgmentContext } from '@jurist/core'
import { type ContextExtras, checkExtras, contextRules } from '../context/extras.js'
import { contextOf } from '../context/outcome.js'
import { type BridgeKeys, keysOf } from '../context/run-facts.js'
import { type Evaluate, evaluateWith, type Observe, observeWith } from '../run/observe.js'
import { readCodex } from './reading.js'

/** Options of a thread, as far as the bridge sets them. */
export interface CodexThreadOptions {
  model?: string
  sandboxMode?: 'read-only' | 'workspace-write' | 'danger-full-access'
  workingDirectory?: string
  skipGitRepoCheck?: boolean
  approvalPolicy?: 'never' | 'on-request' | 'on-failure' | 'untrusted'
  webSearchMode?: 'disabled' | 'cached' | 'live'
}

/** One event of a turn; every other field is read with care. */
export interface CodexEvent {
  readonly type: string
}

/** What is used of `Codex`. */
export interface CodexClient {
  startThread(options?: CodexThreadOptions): {
    runStreamed(
      input: string,
      options?: { signal?: AbortSignal; outputSchema?: unknown },
    ): Promise<{ readonly events: AsyncIterable<CodexEvent> }>
  }
}

/** What `thread.run` resolves to; every field may be missing or malformed. */
export interface CodexTurn {
  readonly items?: readonly object[] | undefined
  readonly finalResponse?: string | undefined
  readonly usage?: object | null | undefined
}

/** The events of one turn, in order, or what `thread.run` resolved to. */
export type CodexRun = readonly CodexEvent[] | CodexTurn

/** The prefix of the metadata keys. */
export const prefix = 'codex'

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
