import { describe, expect, test } from 'vitest'
import { writeBehind } from '../src/run/perform-trials.js'

/** A trial that is stored when the test says so. */
function trial() {
  let store = () => {}
  const stored = new Promise<void>((resolve) => {
    store = resolve
  })
  return { stored, store }
}

async function isSettled(promise: Promise<void>): Promise<boolean> {
  let settled = false
  void promise.then(() => {
    settled = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  return settled
}

describe('write-behind', () => {
  test('lets other trials start while up to the limit are stored', async () => {
    const behind = writeBehind(1)
    const [first, second, third] = [trial(), trial(), trial()]
    const added = [behind.add(first.stored), behind.add(second.stored)] as const
    expect([await isSettled(added[0]), await isSettled(added[1])]).toEqual([true, false])
    first.store()
    expect(await isSettled(added[1])).toBe(false)
    expect(await isSettled(behind.add(third.stored))).toBe(true)
    second.store()
    expect(await isSettled(added[1])).toBe(true)
    third.store()
  })

  test('with a limit of 0 waits until each trial is stored', async () => {
    const { stored, store } = trial()
    const added = writeBehind(0).add(stored)
    expect(await isSettled(added)).toBe(false)
    store()
    expect(await isSettled(added)).toBe(true)
  })

  test('ends when the trials are stored that nothing waits for', async () => {
    const behind = writeBehind(2)
    const [first, second] = [trial(), trial()]
    for (const { stored } of [first, second]) void behind.add(stored)
    const end = behind.end()
    first.store()
    expect(await isSettled(end)).toBe(false)
    second.store()
    expect(await isSettled(end)).toBe(true)
  })

  test('ends immediately without trials', async () => {
    expect(await isSettled(writeBehind(3).end())).toBe(true)
  })
})
