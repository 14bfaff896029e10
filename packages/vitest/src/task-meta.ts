import type { Judgment, Verdict } from '@jurist/core'
import type { AssertionResult } from './run-assertion.js'

/**
 * The result of one assertion, stored with the test for reporters. It is JSON, since it leaves the worker.
 *
 * @example
 * import type { JuristAssertion } from '@jurist/vitest'
 *
 * function reasonsOf(assertions: readonly JuristAssertion[]): readonly string[] {
 *   return assertions.map(({ name, judgment }) => `${name}: ${judgment.status}`)
 * }
 */
export interface JuristAssertion {
  readonly name: string
  readonly judgment: Judgment
  readonly verdict?: Verdict
}

declare module 'vitest' {
  interface TaskMeta {
    /** The results of the judges and juries in this test, in order. */
    jurist?: JuristAssertion[]
  }
}

/** The test that an assertion belongs to. */
export interface AssertingTest {
  readonly meta: { jurist?: JuristAssertion[] }
}

/**
 * Returns the running test; `undefined` outside a test. Vitest 4 and later pass it to matchers; Vitest 3 has it in a
 * module that later versions lack.
 */
export async function testOf(state: { readonly task?: AssertingTest }): Promise<AssertingTest | undefined> {
  if (state.task !== undefined) return state.task
  const name = 'vitest/suite'
  const suite: { getCurrentTest?: () => AssertingTest | undefined } = await import(/* @vite-ignore */ name).catch(
    () => ({}),
  )
  return suite.getCurrentTest?.()
}

/** Stores a result in the metadata of its test, where reporters find it. */
export function storeResult(test: AssertingTest | undefined, { name, judgment, verdict }: AssertionResult): void {
  if (test === undefined) return
  test.meta.jurist ??= []
  test.meta.jurist.push({ name, judgment, verdict })
}
