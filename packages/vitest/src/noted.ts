import type { Judgment, Verdict } from '@jurist/core'
import type { Answer } from './ask.js'

/** What a test keeps of one assertion for reporters: JSON, since it crosses from the worker. */
export interface NotedAnswer {
  readonly name: string
  readonly judgment: Judgment
  readonly verdict?: Verdict
}

declare module 'vitest' {
  interface TaskMeta {
    /** What judges and juries said in this test, in order. */
    jurist?: NotedAnswer[]
  }
}

/** The test that an assertion belongs to. */
export interface NotingTest {
  readonly meta: { jurist?: NotedAnswer[] }
}

/**
 * The test that is running. Vitest 4 and later hand it to a matcher; Vitest 3 has it in a module that later ones do not
 * have any more. `undefined` outside a test.
 */
export async function testOf(state: { readonly task?: NotingTest }): Promise<NotingTest | undefined> {
  if (state.task !== undefined) return state.task
  const name = 'vitest/suite'
  const suite: { getCurrentTest?: () => NotingTest | undefined } = await import(/* @vite-ignore */ name).catch(
    () => ({}),
  )
  return suite.getCurrentTest?.()
}

/** Keeps an answer with its test, where reporters find it. */
export function note(test: NotingTest | undefined, { name, judgment, verdict }: Answer): void {
  if (test === undefined) return
  test.meta.jurist ??= []
  test.meta.jurist.push({ name, judgment, ...(verdict === undefined ? {} : { verdict }) })
}
