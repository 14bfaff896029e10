import { type Soon, soon } from '@jurist/core/internal'
import { describe, expect, it } from 'vitest'
import { overlap } from '../src/run/overlap.js'

/** Work whose two parts end when the test says so. */
function steps() {
  const ends: { first: () => void; rest: () => void } = { first: () => {}, rest: () => {} }
  const work = async (over: () => void) => {
    await new Promise<void>((resolve) => {
      ends.first = resolve
    })
    over()
    await new Promise<void>((resolve) => {
      ends.rest = resolve
    })
  }
  return { ends, work }
}

async function isSettled(place: Soon<void>): Promise<boolean> {
  let settled = false
  void soon(place, () => {
    settled = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  return settled
}

describe('overlap', () => {
  it('lets others start after the first part, as many as the limit says', async () => {
    const together = overlap(1)
    const [first, second] = [steps(), steps()]
    const places = [together.perform(first.work), together.perform(second.work)] as const
    first.ends.first()
    expect(await isSettled(places[0])).toBe(true)
    second.ends.first()
    expect(await isSettled(places[1])).toBe(false)
    const end = together.end()
    first.ends.rest()
    expect([await isSettled(places[1]), await isSettled(end)]).toEqual([false, false])
    second.ends.rest()
    expect([await isSettled(places[1]), await isSettled(end)]).toEqual([true, true])
  })

  it('of nothing waits for all of the work', async () => {
    const { ends, work } = steps()
    const place = overlap(0).perform(work)
    ends.first()
    expect(await isSettled(place)).toBe(false)
    ends.rest()
    expect(await isSettled(place)).toBe(true)
  })

  it('is at once over for work that is', async () => {
    const together = overlap(1)
    expect(together.perform((over) => over())).toBe(undefined)
    expect(await isSettled(together.end())).toBe(true)
  })

  it('ends at once without work', async () => {
    expect(await isSettled(overlap(3).end())).toBe(true)
  })
})
