import { isDeepStrictEqual } from 'node:util'
import { JuristError, type Problems } from '@jurist/core'

/** Throws an `Error` unless the condition holds. */
export function expectThat(holds: boolean, message: string): void {
  if (!holds) throw new Error(message)
}

/** Throws an `Error` unless both are the same JSON, whatever the order of keys. */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  const same = isDeepStrictEqual(plain(actual), plain(expected))
  if (!same) throw new Error(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`)
}

/** Throws an `Error` unless the promise is rejected with a `JuristError` of this code. */
export async function expectCode(promise: Promise<unknown>, code: keyof Problems): Promise<void> {
  const outcome = await promise.then(
    () => 'nothing was thrown',
    (thrown: unknown) => (JuristError.is(thrown, code) ? undefined : `${thrown} was thrown`),
  )
  if (outcome !== undefined) throw new Error(`expected a JuristError "${code}", but ${outcome}`)
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}
