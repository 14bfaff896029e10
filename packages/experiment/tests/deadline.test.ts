import { setImmediate, setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { deadline } from '../src/run/deadline.js'

it('is told to those who wait longer, in the order of their times', async () => {
  const late: string[] = []
  deadline(40, () => late.push('40'))
  deadline(5, () => late.push('5'))
  await setTimeout(80)
  expect(late).toEqual(['5', '40'])
})

it('is told to nobody who ended before, in the same turn of the event loop or later', async () => {
  const late: string[] = []
  deadline(1, () => late.push('at once'))()
  const ended = deadline(20, () => late.push('later'))
  await setImmediate()
  ended()
  await setTimeout(50)
  expect(late).toEqual([])
})

it('counts from the call, however long the turn of the event loop takes', async () => {
  const order: string[] = []
  const startedMs = performance.now()
  deadline(40, () => order.push('deadline'))
  while (performance.now() - startedMs < 40) Math.sqrt(startedMs)
  await setTimeout(20).then(() => order.push('begun later'))
  expect(order).toEqual(['deadline', 'begun later'])
})

it('is never, beyond what a timer can count', async () => {
  const late: string[] = []
  deadline(2 ** 31, () => late.push('24 days'))
  await setTimeout(20)
  expect(late).toEqual([])
})
