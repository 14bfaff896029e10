/**
 * Judges and juries as Vitest matchers. Importing this registers them, in a test file or once through `setupFiles`.
 *
 * @example
 * import '@jurist/vitest'
 *
 * test('the agent adds a readme', async () => {
 *   await using workspace = await copyOf('fixtures/before')
 *   await agent({ prompt: 'Add a README', workspace, signal: AbortSignal.timeout(60_000) })
 *   await expect(workspace).toPass(fileExists('README.md'))
 * })
 */
import type { ContextInput, Judge } from '@jurist/core'
import { expect } from 'vitest'
import { toPass, toScore } from './matchers.js'

export type { NotedAnswer } from './noted.js'

/** The matchers. They are asynchronous: `await expect(…).toPass(…)`. */
export interface JuristMatchers<Result = Promise<void>> {
  /**
   * Holds when the judge passes what was given to `expect`: an output (a string or an `AgentOutput`), a workspace, or a
   * context. Under `not` it holds when the judge fails it. An abstention or an error decides nothing, so that the
   * assertion fails either way. The message shows the tree of reasons. There is no limit of its own: `signal` in
   * `context` bounds the call.
   *
   * @param context laid over what was received, key by key
   *
   * @example
   * await expect(workspace).toPass(rules)
   * await expect('42').not.toPass(outputText({ contains: 'hello' }))
   */
  toPass(judge: Judge, context?: ContextInput): Result
  /**
   * Holds when the effective score, from 0 to 1, is at least `atLeast`; under `not`, when it is less.
   *
   * @throws `option-invalid` when `atLeast` is no number from 0 to 1
   *
   * @example
   * await expect(answer).toScore(correctness({ model, threshold: 0.7 }), 0.8, { goal: question })
   */
  toScore(judge: Judge, atLeast: number, context?: ContextInput): Result
}

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: a merged declaration must repeat the type parameters of Vitest's own.
  interface Matchers<T = any> extends JuristMatchers {}
}

expect.extend({ toPass, toScore })
