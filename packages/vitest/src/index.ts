/**
 * Judges and juries as Vitest matchers. Importing this module registers them, in a test file or once through `setupFiles`.
 *
 * @example
 * import '@jurist/vitest'
 * import { claudeCommand } from '@jurist/bridges/claude-agent'
 * import { fileExists } from '@jurist/core'
 * import { copyOf } from '@jurist/workspace'
 * import { expect, test } from 'vitest'
 *
 * const agent = claudeCommand({ environment: { allow: ['ANTHROPIC_API_KEY'] } })
 *
 * test('the agent adds a readme', async () => {
 *   await using workspace = await copyOf('fixtures/before')
 *   await agent({ prompt: 'Add a README', workspace, signal: AbortSignal.timeout(60_000) })
 *   await expect(workspace).toPass(fileExists('README.md'))
 * })
 */
import '@jurist/workspace' // It opens paths in contexts.
import { expect } from 'vitest'
import { type JuristMatchers, toPass, toScore } from './matchers.js'

export type { JuristMatchers } from './matchers.js'
export type { JuristAssertion } from './task-meta.js'

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: a merged declaration must repeat the type parameters of Vitest's own.
  interface Matchers<T = any> extends JuristMatchers {}
}

expect.extend({ toPass, toScore })
