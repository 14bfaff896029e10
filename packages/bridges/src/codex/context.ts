import { bridgeOf, type ContextFrom, type Evaluate, type Observe } from '../run/bridge.js'
import { readCodex } from './reading.js'

/** The options of a thread that the bridge sets. */
export interface CodexThreadOptions {
  model?: string
  sandboxMode?: 'read-only' | 'workspace-write' | 'danger-full-access'
  workingDirectory?: string
  skipGitRepoCheck?: boolean
  approvalPolicy?: 'never' | 'on-request' | 'on-failure' | 'untrusted'
  webSearchMode?: 'disabled' | 'cached' | 'live'
}

/** An event of a turn. Its other fields are read at run time and may be missing or malformed. */
export interface CodexEvent {
  readonly type: string
}

/** The part of `Codex` that the bridge uses. */
export interface CodexClient {
  startThread(options?: CodexThreadOptions): {
    runStreamed(
      input: string,
      options?: { signal?: AbortSignal; outputSchema?: unknown },
    ): Promise<{ readonly events: AsyncIterable<CodexEvent> }>
  }
}

/** The result of `thread.run`; every field may be missing or malformed. */
export interface CodexTurn {
  readonly items?: readonly object[] | undefined
  readonly finalResponse?: string | undefined
  readonly usage?: object | null | undefined
}

/** The events of one turn in order, or the result of `thread.run`. */
export type CodexRun = readonly CodexEvent[] | CodexTurn

export const prefix = 'codex'

const bridge = bridgeOf<CodexRun>({
  name: 'Codex',
  prefix,
  read: (run, { workspace }) => readCodex(run, workspace?.root),
})

/**
 * Creates a context from the result of `thread.run`, or from the events of `thread.runStreamed`.
 *
 * @throws `option-invalid` or `metadata-reserved` for invalid extras, never for a malformed turn
 *
 * @example
 * import { contextFromCodex } from '@jurist/bridges/codex'
 * import { Codex } from '@openai/codex-sdk'
 *
 * const turn = await new Codex().startThread().run('Say hello')
 * const context = contextFromCodex(turn, { goal: 'Say hello' })
 */
export const contextFromCodex: ContextFrom<CodexRun> = bridge.contextFrom

/**
 * Runs a turn once and returns a context, also when it fails.
 *
 * @example
 * import { observeCodex } from '@jurist/bridges/codex'
 * import { Codex } from '@openai/codex-sdk'
 *
 * const run = (signal: AbortSignal) => new Codex().startThread().run('Say hello', { signal })
 * const { context, result } = await observeCodex(run, { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const observeCodex: Observe<CodexRun> = bridge.observe

/**
 * Runs a turn once and judges the result, also when it fails.
 *
 * @example
 * import { evaluateCodex } from '@jurist/bridges/codex'
 * import { outputText } from '@jurist/core'
 * import { Codex } from '@openai/codex-sdk'
 *
 * const run = (signal: AbortSignal) => new Codex().startThread().run('Say hello', { signal })
 * await evaluateCodex(run, outputText({ contains: 'hello' }), { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const evaluateCodex: Evaluate<CodexRun> = bridge.evaluate
