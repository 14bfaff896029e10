import { longestTimerMs, withTimeout } from '@jurist/kit/timers'
import { describe, expect, test } from 'vitest'

test('the longest timer waits, and one more millisecond does not', async () => {
  const overflows: string[] = []
  const listener = ({ name }: Error) => void overflows.push(name)
  process.on('warning', listener)
  const longest = setTimeout(() => {}, longestTimerMs)
  const longer = setTimeout(() => {}, longestTimerMs + 1)
  await new Promise((resolve) => setImmediate(resolve))
  clearTimeout(longest)
  clearTimeout(longer)
  process.off('warning', listener)
  expect(overflows).toEqual(['TimeoutOverflowWarning'])
})

describe('withTimeout', () => {
  const never = new Promise<never>(() => {})
  test('passes on what comes in time', async () => {
    expect(await withTimeout(Promise.resolve(1), 60_000, () => 2)).toBe(1)
    await expect(withTimeout(Promise.reject(new Error('no')), 60_000, () => 2)).rejects.toThrow('no')
  })
  test('ends with what `late` returns or throws', async () => {
    expect(await withTimeout(never, 1, () => 2)).toBe(2)
    const late = () => {
      throw new Error('late')
    }
    await expect(withTimeout(never, 1, late)).rejects.toThrow('late')
  })
  test('has no limit beyond the longest timer', async () => {
    const slow = new Promise((resolve) => setTimeout(resolve, 5, 1))
    expect(await withTimeout(slow, longestTimerMs + 1, () => 2)).toBe(1)
  })
})
