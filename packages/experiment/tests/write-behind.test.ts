import { describe, expect, test } from 'vitest'
import { writeBehind } from '../src/run/write-behind.js'

/** A trial whose two parts end when the test says so. */
function trial() {
  const ends: { examine: () => void; store: () => void } = { examine: () => {}, store: () => {} }
  const run = async (examined: () => void) => {
    await new Promise<void>((resolve) => {
      ends.examine = resolve
    })
    examined()
    await new Promise<void>((resolve) => {
      ends.store = resolve
    })
  }
  return { ends, run }
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
    const [first, second] = [trial(), trial()]
    const performed = [behind.perform(first.run), behind.perform(second.run)] as const
    first.ends.examine()
    expect(await isSettled(performed[0])).toBe(true)
    second.ends.examine()
    expect(await isSettled(performed[1])).toBe(false)
    const end = behind.end()
    first.ends.store()
    expect([await isSettled(performed[1]), await isSettled(end)]).toEqual([false, false])
    second.ends.store()
    expect([await isSettled(performed[1]), await isSettled(end)]).toEqual([true, true])
  })

  test('with a limit of 0 waits until each trial is stored', async () => {
    const { ends, run } = trial()
    const performed = writeBehind(0).perform(run)
    ends.examine()
    expect(await isSettled(performed)).toBe(false)
    ends.store()
    expect(await isSettled(performed)).toBe(true)
  })

  test('does not wait for a trial that ends without being examined', async () => {
    const behind = writeBehind(1)
    expect(await isSettled(behind.perform(async () => {}))).toBe(true)
    expect(await isSettled(behind.end())).toBe(true)
  })

  test('ends immediately without trials', async () => {
    expect(await isSettled(writeBehind(3).end())).toBe(true)
  })
})
