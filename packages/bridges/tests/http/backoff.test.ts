import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isRetryable, pause, retryAfterOf, waitBefore } from '../../src/http/backoff.js'
import { routeOf } from '../../src/http/http-options.js'

const headers = (given: Record<string, string>) => (name: string) => given[name]

describe('what a server asks to wait', () => {
  test('milliseconds win, then seconds, then a date', () => {
    expect(retryAfterOf(headers({ 'retry-after-ms': '15', 'retry-after': '9' }))).toBe(15)
    expect(retryAfterOf(headers({ 'retry-after': '1.5' }))).toBe(1_500)
    expect(retryAfterOf(headers({ 'retry-after': new Date(Date.now() + 60_000).toUTCString() }))).toBeGreaterThan(
      55_000,
    )
    expect(retryAfterOf(headers({ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }))).toBe(0)
  })
  test('nonsense is nothing', () => {
    for (const text of ['', ' ', 'soon', '-1', 'NaN'])
      expect(retryAfterOf(headers({ 'retry-after-ms': text }))).toBeUndefined()
  })
})

test('law: a wait lies between nothing and the doubled base, up to the longest', () => {
  const policy = fc.record({ attempts: fc.constant(3), baseMs: fc.nat(5_000), maxMs: fc.nat(60_000) })
  fc.assert(
    fc.property(policy, fc.integer({ min: 1, max: 40 }), (backoff, attempt) => {
      const wait = waitBefore(attempt, backoff, undefined)
      expect(wait).toBeGreaterThanOrEqual(0)
      expect(wait).toBeLessThanOrEqual(Math.min(backoff.maxMs, backoff.baseMs * 2 ** (attempt - 1)))
    }),
  )
  expect(waitBefore(1, { attempts: 3, baseMs: 1, maxMs: 10 }, 99)).toBe(99)
})

test('what may pass', () => {
  const statuses = [400, 401, 403, 404, 408, 409, 413, 422, 425, 429, 500, 503, 529]
  expect(statuses.filter(isRetryable)).toEqual([408, 409, 425, 429, 500, 503, 529])
})

test('a wait ends at once when it is aborted', async () => {
  const stop = new AbortController()
  const waiting = pause(60_000, stop.signal)
  stop.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  await expect(pause(60_000, stop.signal)).rejects.toThrow('enough')
})

describe('an address', () => {
  test.each([
    ['http://localhost:1/v1', 'http://localhost:1/v1/x'],
    ['http://localhost:1/v1///', 'http://localhost:1/v1/x'],
    ['https://host', 'https://host/x'],
    ['https://host/a?api-version=1#part', 'https://host/a/x?api-version=1'],
  ])('%s', (base, route) => expect(routeOf('test', base, '/x').href).toBe(route))

  test.each(['host', 'ftp://host', 'http://a:b@host', 'http://'])('%s is refused, and not shown', (base) => {
    const make = () => routeOf('test', base, '/x')
    expect(make).toThrow(expect.objectContaining({ code: 'option-invalid', details: { option: 'baseUrl' } }))
    expect(make).not.toThrow('a:b')
  })
})
