import { isRetryableStatus, pause, retryAfterMsIn, retryPauseMs } from '@jurist/kit/retry-pause'
import { longestTimerMs } from '@jurist/kit/timers'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'

const headers = (given: Record<string, string>) => (name: string) => given[name]

describe('what a server asks to wait', () => {
  test('milliseconds come first, then seconds, then a date', () => {
    expect(retryAfterMsIn(headers({ 'retry-after-ms': '15', 'retry-after': '9' }))).toBe(15)
    expect(retryAfterMsIn(headers({ 'retry-after': '1.5' }))).toBe(1_500)
    expect(retryAfterMsIn(headers({ 'retry-after': new Date(Date.now() + 60_000).toUTCString() }))).toBeGreaterThan(
      50_000,
    )
    expect(retryAfterMsIn(headers({ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }))).toBe(0)
  })
  test('what cannot be read is ignored', () => {
    for (const text of ['', ' ', 'soon', '-1', 'NaN'])
      expect(retryAfterMsIn(headers({ 'retry-after-ms': text }))).toBeUndefined()
  })
})

describe('the pause before another attempt', () => {
  test('without jitter it doubles, up to the longest', () => {
    const policy = { baseMs: 100, maxMs: 1_000, jitter: false }
    expect([1, 2, 3, 4, 5].map((attempt) => retryPauseMs(attempt, policy))).toEqual([100, 200, 400, 800, 1_000])
    expect(retryPauseMs(3, { ...policy, factor: 3 })).toBe(900)
  })
  test('with jitter it lies between zero and that pause', () => {
    const policy = fc.record({ baseMs: fc.nat(5_000), maxMs: fc.nat(60_000) })
    fc.assert(
      fc.property(policy, fc.integer({ min: 1, max: 40 }), (given, attempt) => {
        const pauseMs = retryPauseMs(attempt, given)
        expect(pauseMs).toBeGreaterThanOrEqual(0)
        expect(pauseMs).toBeLessThanOrEqual(retryPauseMs(attempt, { ...given, jitter: false }))
      }),
    )
    const pauses = Array.from({ length: 200 }, () => retryPauseMs(3, { baseMs: 100, maxMs: 1_000 }))
    expect(new Set(pauses).size).toBeGreaterThan(100)
  })
  test('what the server asks for wins', () => {
    expect(retryPauseMs(1, { baseMs: 1, maxMs: 10 }, 99)).toBe(99)
    expect(retryPauseMs(1, { baseMs: 1_000, maxMs: 1_000, jitter: false }, 0)).toBe(0)
  })
})

test('statuses that may pass', () => {
  const statuses = [400, 401, 403, 404, 408, 409, 413, 422, 425, 429, 500, 503, 529]
  expect(statuses.filter(isRetryableStatus)).toEqual([408, 409, 425, 429, 500, 503, 529])
})

describe('pause', () => {
  afterEach(() => void vi.useRealTimers())

  test('ends when its signal fires, without a timer', async () => {
    vi.useFakeTimers()
    const stop = new AbortController()
    const waiting = expect(pause(60_000, stop.signal)).rejects.toThrow('enough')
    expect(vi.getTimerCount()).toBe(1)
    stop.abort(new Error('enough'))
    await waiting
    expect(vi.getTimerCount()).toBe(0)
    await expect(pause(60_000, stop.signal)).rejects.toThrow('enough')
  })
  test('may be longer than the longest timer', async () => {
    vi.useFakeTimers()
    let isOver = false
    const waiting = pause(longestTimerMs + 10).then(() => {
      isOver = true
    })
    await vi.advanceTimersByTimeAsync(longestTimerMs + 5)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(5)
    await waiting
    expect(isOver).toBe(true)
  })
})
