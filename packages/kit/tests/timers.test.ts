import { longestTimerMs } from '@jurist/kit/timers'
import { expect, test } from 'vitest'

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
