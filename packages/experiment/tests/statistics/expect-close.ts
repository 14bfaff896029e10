import { expect } from 'vitest'

/** Compares partially and in depth; numbers within `tolerance`. */
export function expectClose(actual: unknown, expected: unknown, tolerance: number, place = ''): void {
  if (typeof expected === 'number') {
    expect(actual, place).toBeTypeOf('number')
    expect(Math.abs((actual as number) - expected), `${place}: ${actual} for ${expected}`).toBeLessThanOrEqual(
      tolerance,
    )
    return
  }
  if (typeof expected !== 'object' || expected === null) {
    expect(actual, place).toBe(expected)
    return
  }
  expect(actual, place).toBeTypeOf('object')
  expect(actual, place).not.toBeNull()
  if (Array.isArray(expected)) expect(actual, place).toHaveLength(expected.length)
  for (const [key, value] of Object.entries(expected))
    expectClose((actual as Record<string, unknown>)[key], value, tolerance, `${place}/${key}`)
}
