import type { Judgment, Verdict } from '@jurist/core'

export function expectThat(holds: boolean, message: string): void {
  if (!holds) throw new Error(message)
}

/** Compares as JSON. */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  expectThat(found === wanted, `${what}: expected ${wanted}, found ${found}`)
}

/** Checks nested values too. */
export function expectFrozen(value: unknown, what: string): void {
  if (typeof value !== 'object' || value === null) return
  expectThat(Object.isFrozen(value), `${what} is not frozen`)
  for (const [key, inner] of Object.entries(value)) expectFrozen(inner, `${what}.${key}`)
}

/** Throws an `Error` if the promise resolves. */
export async function rejectionOf(promise: Promise<unknown>, what: string): Promise<Rejection> {
  try {
    await promise
  } catch (thrown) {
    return thrown as Rejection
  }
  throw new Error(`${what}: expected a rejection, found an answer`)
}

/** The properties by which callers distinguish errors. */
export interface Rejection extends Error {
  readonly code?: unknown
  readonly status?: unknown
}

export function isVerdict(value: Judgment | Verdict): value is Verdict {
  return 'aggregated' in value
}
