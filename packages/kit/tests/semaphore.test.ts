import { semaphore } from '@jurist/kit/semaphore'
import { describe, expect, test } from 'vitest'

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('a semaphore', () => {
  test('admits as many as it has places, in order of arrival', async () => {
    const places = semaphore(2)
    const begun: number[] = []
    const ends: (() => void)[] = []
    const works = [0, 1, 2, 3].map((name) =>
      places.run(() => {
        begun.push(name)
        return new Promise<void>((resolve) => ends.push(resolve))
      }),
    )
    expect(begun).toEqual([0, 1])
    ends[1]?.()
    await turn()
    expect(begun).toEqual([0, 1, 2])
    ends[0]?.()
    ends[2]?.()
    await turn()
    expect(begun).toEqual([0, 1, 2, 3])
    ends[3]?.()
    await Promise.all(works)
  })

  test('frees the place of work that fails', async () => {
    const places = semaphore(1)
    await expect(places.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    await expect(
      places.run(() => {
        throw new Error('not either')
      }),
    ).rejects.toThrow('not either')
    expect(await places.run(() => 1)).toBe(1)
  })

  test('ends a wait whose signal fires, and keeps the order of the others', async () => {
    const places = semaphore(1)
    const release = await places.acquire()
    const stop = new AbortController()
    const left = places.acquire(new AbortController().signal, stop.signal)
    const next = places.acquire()
    stop.abort(new Error('enough'))
    await expect(left).rejects.toThrow('enough')
    release()
    const releaseNext = await next
    await expect(places.acquire(stop.signal)).rejects.toThrow('enough')
    releaseNext()
    expect(await places.run(() => 1)).toBe(1)
  })

  test('of infinite places lets everybody in', async () => {
    const places = semaphore(Number.POSITIVE_INFINITY)
    const begun: number[] = []
    const works = Array.from({ length: 100 }, (_, index) => places.run(async () => begun.push(index)))
    expect(begun).toHaveLength(100)
    await Promise.all(works)
  })
})
