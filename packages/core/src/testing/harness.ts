/** The two words of a test runner; vitest, jest and `node:test` have them. */
export interface TestHarness {
  readonly describe: (name: string, body: () => void) => void
  readonly test: (name: string, body: () => unknown) => void
}

/** Throws an `Error` unless the condition holds. */
export function expectThat(holds: boolean, message: string): void {
  if (!holds) throw new Error(message)
}

/** Throws an `Error` unless both are the same as JSON, order of keys included. */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  expectThat(found === wanted, `${what}: expected ${wanted}, found ${found}`)
}

/** Throws an `Error` unless `run` throws or rejects with an error of one of these codes. */
export async function expectCode(run: () => unknown, ...codes: readonly string[]): Promise<void> {
  let thrown: unknown
  try {
    await run()
  } catch (caught) {
    thrown = caught
  }
  const code = (thrown as { readonly code?: unknown } | undefined)?.code
  expectThat(typeof code === 'string' && codes.includes(code), `expected ${codes.join(' or ')}, found ${thrown}`)
}

/** Throws an `Error` unless the value and everything inside it is frozen. */
export function expectFrozen(value: unknown, what: string): void {
  if (typeof value !== 'object' || value === null) return
  expectThat(Object.isFrozen(value), `${what} is not frozen`)
  for (const [key, inner] of Object.entries(value)) expectFrozen(inner, `${what}.${key}`)
}
