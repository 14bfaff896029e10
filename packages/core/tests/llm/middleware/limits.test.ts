import { JuristError } from '@jurist/core'
import type { JudgeModel, JudgeModelResponse } from '@jurist/core/llm'
import { budget, cached, priced, rateLimit, retry, userRequest, wrapModel } from '@jurist/core/llm'
import { scriptedModel } from '@jurist/core/testing'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

const refused = expect.objectContaining({ code: 'option-invalid' })
const aborted = expect.objectContaining({ code: 'aborted' })
const request = userRequest('x')

describe('retry', () => {
  const quick = { baseMs: 1, maxMs: 5 }

  test('asks again, and says how often', async () => {
    const inner = scriptedModel(new Error('1'), new Error('2'), { text: 'a', metadata: { id: 1 } })
    expect(await wrapModel(inner, retry(quick))(request)).toEqual({ text: 'a', metadata: { id: 1, attempts: 3 } })
  })
  test('leaves a first answer as it is', async () => {
    expect(await wrapModel(scriptedModel('a'), retry())(request)).toEqual({ text: 'a' })
  })
  test('throws the last error as it is', async () => {
    const last = new Error('last')
    const inner = scriptedModel(new Error('1'), new Error('2'), last, 'never')
    await expect(wrapModel(inner, retry(quick))(request)).rejects.toBe(last)
    expect(inner.requests).toHaveLength(3)
  })
  test.each([
    ...([400, 401, 404, 422] as const).map((status) => [{ status }, 1] as const),
    ...([408, 409, 425, 429, 500, 503] as const).map((status) => [{ status }, 2] as const),
    [{ status: '400' }, 2] as const,
  ])('an error with %j is tried %d times', async (fields, calls) => {
    const inner = scriptedModel(Object.assign(new Error('x'), fields), 'a')
    await wrapModel(inner, retry(quick))(request).catch(() => undefined)
    expect(inner.requests).toHaveLength(calls)
  })
  test.each([
    new JuristError('aborted', 'x', { reason: 'x' }),
    new JuristError('budget-exceeded', 'x', { spent: 1, limit: 1 }),
    new JuristError('replay-miss', 'x', { key: 'x' }),
    new JuristError('option-invalid', 'x', { option: 'x' }),
  ])('$code is not tried again', async (thrown) => {
    const inner = scriptedModel(thrown, 'a')
    await expect(wrapModel(inner, retry(quick))(request)).rejects.toBe(thrown)
    expect(inner.requests).toHaveLength(1)
  })
  test('retryOn decides', async () => {
    const inner = scriptedModel(new Error('no'), 'a')
    await expect(wrapModel(inner, retry({ ...quick, retryOn: () => false }))(request)).rejects.toThrow('no')
  })
  test.each([{ attempts: 0 }, { attempts: 1.5 }, { baseMs: -1 }, { factor: 0.5 }, { maxMs: Number.NaN }, { tries: 1 }])(
    '%j is refused',
    (options) => expect(() => retry(options as never)).toThrow(refused),
  )

  describe('pauses', () => {
    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => {
      vi.useRealTimers()
      vi.restoreAllMocks()
    })

    /** When each attempt was made. */
    async function timesOf(options: Parameters<typeof retry>[0], ...errors: readonly Error[]) {
      const startedAt = performance.now()
      const times: number[] = []
      const replies = [...errors]
      const model: JudgeModel = async () => {
        times.push(performance.now() - startedAt)
        const thrown = replies.shift()
        if (thrown) throw thrown
        return { text: 'a' }
      }
      const answer = wrapModel(model, retry(options))(request)
      await vi.runAllTimersAsync()
      await answer
      return times.slice(1).map((time, index) => time - (times[index] ?? 0))
    }

    test('are a random part of the base, which doubles up to the cap', async () => {
      vi.spyOn(Math, 'random').mockReturnValue(0.5)
      const errors = [1, 2, 3, 4].map((text) => new Error(`${text}`))
      expect(await timesOf({ attempts: 5, maxMs: 3_000 }, ...errors)).toEqual([250, 500, 1_000, 1_500])
      expect(await timesOf({ baseMs: 10, factor: 3 }, ...errors.slice(2))).toEqual([5, 15])
    })
    test('end immediately when they are aborted, without a timer', async () => {
      vi.spyOn(Math, 'random').mockReturnValue(0.5)
      const abort = new AbortController()
      const inner = scriptedModel(new Error('x'), 'a')
      const ended = expect(wrapModel(inner, retry())(userRequest('x', {}, abort.signal))).rejects.toThrow(aborted)
      await vi.advanceTimersByTimeAsync(1)
      expect(vi.getTimerCount()).toBe(1)
      abort.abort()
      await ended
      expect(vi.getTimerCount()).toBe(0)
      expect(inner.requests).toHaveLength(1)
    })
    test('are what the error asks for', async () => {
      expect(await timesOf({}, Object.assign(new Error('x'), { status: 429, retryAfterMs: 45_000 }))).toEqual([45_000])
      expect(await timesOf({}, Object.assign(new Error('x'), { retryAfterMs: 0 }))).toEqual([0])
    })
  })
})

describe('rateLimit', () => {
  test('no more at a time than allowed, first come first served', async () => {
    let running = 0
    let most = 0
    const order: string[] = []
    const model: JudgeModel = async ({ messages }) => {
      order.push(messages[0]?.content ?? '')
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 2))
      running -= 1
      if (messages[0]?.content === '3') throw new Error('boom')
      return { text: 'a' }
    }
    const limited = wrapModel(model, rateLimit({ concurrency: 3 }))
    const asked = Array.from({ length: 12 }, (_, index) => `${index}`)
    const answers = await Promise.allSettled(asked.map((text) => limited(userRequest(text))))
    expect(most).toBe(3)
    expect(order).toEqual(asked)
    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(1)
  })
  test('one limit for all models that it is put around', async () => {
    const limit = rateLimit({ concurrency: 1 })
    let release = () => {}
    const first = wrapModel(() => new Promise((resolve) => (release = () => resolve({ text: 'a' }))), limit)
    const second = scriptedModel('b')
    const one = first(request)
    const other = wrapModel(second, limit)(request)
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(second.requests).toHaveLength(0)
    release()
    expect([(await one).text, (await other).text]).toEqual(['a', 'b'])
  })
  test('a limit of several processes is asked until it gives a permit', async () => {
    const waits = [3, 1, 0, 0]
    const asked: number[] = []
    const shared = async (permits: number) => {
      asked.push(permits)
      return waits.shift() ?? 0
    }
    const inner = scriptedModel('a', 'b')
    const model = wrapModel(inner, rateLimit({ shared }))
    expect([(await model(request)).text, (await model(request)).text]).toEqual(['a', 'b'])
    expect(asked).toEqual([1, 1, 1, 1])
  })
  test('an aborted wait for a shared limit rejects, and its failure fails the call', async () => {
    const abort = new AbortController()
    const model = wrapModel(scriptedModel('a'), rateLimit({ shared: async () => 3_600_000 }))
    const asked = model(userRequest('x', {}, abort.signal))
    setTimeout(() => abort.abort(), 5)
    await expect(asked).rejects.toThrow(aborted)
    const away = wrapModel(
      scriptedModel('a'),
      rateLimit({ shared: () => Promise.reject(new Error('the database is away')) }),
    )
    await expect(away(request)).rejects.toThrow('the database is away')
  })
  test('a caller that gives up leaves the queue, the others continue', async () => {
    const abort = new AbortController()
    let release = () => {}
    const inner: JudgeModel = ({ messages }) =>
      messages[0]?.content === 'first'
        ? new Promise((resolve) => (release = () => resolve({ text: 'first' })))
        : Promise.resolve({ text: messages[0]?.content ?? '' })
    const model = wrapModel(inner, rateLimit({ concurrency: 1 }))
    const first = model(userRequest('first'))
    const gone = model(userRequest('gone', {}, abort.signal))
    const last = model(userRequest('last'))
    abort.abort()
    await expect(gone).rejects.toThrow(aborted)
    release()
    expect([(await first).text, (await last).text]).toEqual(['first', 'last'])
    await expect(model(userRequest('late', {}, AbortSignal.abort()))).rejects.toThrow(aborted)
  })
  test.each([{}, { rpm: 0 }, { tpm: -1 }, { concurrency: 1.5 }, { rpm: Number.POSITIVE_INFINITY }, { rps: 1 }])(
    '%j is refused',
    (options) => expect(() => rateLimit(options as Parameters<typeof rateLimit>[0])).toThrow(refused),
  )

  describe('by the minute', () => {
    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    test('tokens are counted after the call', async () => {
      const inner = scriptedModel(() => ({ text: 'a', usage: { inputTokens: 60, outputTokens: 40 } }))
      const model = wrapModel(inner, rateLimit({ tpm: 150 }))
      await model(request)
      await vi.advanceTimersByTimeAsync(10_000)
      await model(request)
      const third = model(request)
      await vi.advanceTimersByTimeAsync(49_000)
      expect(inner.requests).toHaveLength(2)
      await vi.advanceTimersByTimeAsync(1_100)
      await third
      expect(inner.requests).toHaveLength(3)
      expect(vi.getTimerCount()).toBe(0)
    })
    test('an aborted wait rejects immediately and leaves no timer', async () => {
      const abort = new AbortController()
      const model = wrapModel(scriptedModel('a', 'b'), rateLimit({ rpm: 1 }))
      await model(request)
      const waiting = expect(model(userRequest('x', {}, abort.signal))).rejects.toThrow(aborted)
      await vi.advanceTimersByTimeAsync(1)
      expect(vi.getTimerCount()).toBe(1)
      abort.abort()
      await waiting
      expect(vi.getTimerCount()).toBe(0)
    })
    test('law: in no minute more requests than allowed, in order, none lost, none later than needed', () =>
      fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 5 }),
          fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 20 }),
          async (rpm, gaps) => {
            const begun: { readonly at: number; readonly text: string }[] = []
            const inner: JudgeModel = async ({ messages }) => {
              begun.push({ at: performance.now(), text: messages[0]?.content ?? '' })
              return { text: 'a' }
            }
            const model = wrapModel(inner, rateLimit({ rpm }))
            const answers: Promise<JudgeModelResponse>[] = []
            const askedAt: number[] = []
            for (const [index, gap] of gaps.entries()) {
              await vi.advanceTimersByTimeAsync(gap)
              askedAt.push(performance.now())
              answers.push(model(userRequest(`${index}`)))
            }
            await vi.runAllTimersAsync()
            await Promise.all(answers)
            expect(begun.map(({ text }) => text)).toEqual(gaps.map((_, index) => `${index}`))
            begun.forEach(({ at }, index) => {
              const free = Math.max(askedAt[index] ?? 0, (begun[index - rpm]?.at ?? -60_000) + 60_000)
              expect(at).toBeGreaterThanOrEqual(free)
              expect(at).toBeLessThanOrEqual(Math.max(free, begun[index - 1]?.at ?? 0) + 2)
            })
            expect(vi.getTimerCount()).toBe(0)
          },
        ),
        { numRuns: 40 },
      ))
  })
})

describe('budget', () => {
  const dollar = () => ({ text: 'a', costUsd: 1 })

  test('stops before a call that begins at the limit', async () => {
    const inner = scriptedModel(dollar)
    const model = wrapModel(inner, budget({ usd: 2 }))
    await model(request)
    await model(request)
    await expect(model(request)).rejects.toMatchObject({ code: 'budget-exceeded', details: { spent: 2, limit: 2 } })
    expect(inner.requests).toHaveLength(2)
  })
  test('calls in flight may go beyond, those after them stop', async () => {
    const inner = scriptedModel(dollar)
    const model = wrapModel(inner, budget({ usd: 2 }))
    await Promise.all([1, 2, 3, 4].map(() => model(request)))
    await expect(model(request)).rejects.toMatchObject({ details: { spent: 4 } })
  })
  test('one limit for all models that it is put around', async () => {
    const limit = budget({ usd: 1 })
    await wrapModel(scriptedModel(dollar), limit)(request)
    await expect(wrapModel(scriptedModel(dollar), limit)(request)).rejects.toMatchObject({ code: 'budget-exceeded' })
  })
  test('counts tokens: the total, else input and output', async () => {
    const replies = [{ totalTokens: 5, inputTokens: 1 }, { inputTokens: 3, outputTokens: 1 }, { outputTokens: 1 }]
    const model = wrapModel(
      scriptedModel(...replies.map((usage) => ({ text: 'a', usage })), 'b'),
      budget({ tokens: 10 }),
    )
    for (const _ of replies) await model(request)
    await expect(model(request)).rejects.toMatchObject({ details: { spent: 10, limit: 10 } })
  })
  test('what cannot be counted is refused, what is free is not', async () => {
    await expect(wrapModel(scriptedModel('a'), budget({ usd: 1 }))(request)).rejects.toThrow(/priced/)
    await expect(wrapModel(scriptedModel('a'), budget({ usd: 1 }))(request)).rejects.toThrow(refused)
    await expect(wrapModel(scriptedModel('a'), budget({ tokens: 1 }))(request)).rejects.toThrow(refused)
    const free = wrapModel(
      scriptedModel(() => ({ text: 'a', costUsd: 0 })),
      budget({ usd: 1 }),
    )
    for (const _ of [1, 2, 3]) await free(request)
  })
  test('hits of a cache inside count nothing', async () => {
    const usage = { inputTokens: 5, outputTokens: 4 }
    const model = wrapModel(scriptedModel({ text: 'a', usage, costUsd: 1 }), budget({ tokens: 10 }), cached())
    for (const _ of [1, 2, 3, 4]) await model(request)
  })
  test('the usual order: hits are free, and what is counted has its price', async () => {
    const table = { m: { inputPerMillion: 1e6, outputPerMillion: 0 } }
    const inner = scriptedModel(() => ({ text: 'a', model: 'm', usage: { inputTokens: 1, outputTokens: 1 } }))
    const model = wrapModel(inner, cached(), budget({ usd: 1 }), priced(table))
    expect((await model(request)).costUsd).toBe(1)
    expect((await model(request)).costUsd).toBe(0)
    await expect(model(userRequest('y'))).rejects.toMatchObject({ code: 'budget-exceeded' })
  })
  test.each([{}, { usd: -1 }, { usd: Number.NaN }, { tokens: '5' }, { usd: 1, tokens: 1 }, { eur: 1 }])(
    '%j is refused',
    (limit) => expect(() => budget(limit as never)).toThrow(refused),
  )
})

describe('priced', () => {
  const table = {
    m: { inputPerMillion: 2, outputPerMillion: 10, cacheReadPerMillion: 0.5 },
    plain: { inputPerMillion: 2, outputPerMillion: 10 },
  }
  const costOf = async (response: JudgeModelResponse, options = {}) =>
    (await wrapModel(scriptedModel(response), priced(table))(userRequest('x', options))).costUsd
  const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cacheReadTokens: 400_000 }

  test('by the model that answered, cache reads at their own price', async () => {
    expect(await costOf({ text: 'a', model: 'm', usage })).toBeCloseTo(1.2 + 0.2 + 1)
    expect(await costOf({ text: 'a', model: 'plain', usage })).toBeCloseTo(2 + 1)
  })
  test('else by the model that was asked for', async () => {
    expect(await costOf({ text: 'a', usage }, { model: 'plain' })).toBeCloseTo(3)
    expect(await costOf({ text: 'a', model: 'm-2026-01-01', usage }, { model: 'plain' })).toBeCloseTo(3)
  })
  test.each<[string, JudgeModelResponse]>([
    ['an unknown model', { text: 'a', model: 'toString', usage }],
    ['no usage', { text: 'a', model: 'm' }],
    ['usage in part', { text: 'a', model: 'm', usage: { inputTokens: 5 } }],
    ['a total only', { text: 'a', model: 'm', usage: { totalTokens: 5 } }],
  ])('%s leaves the response as it is', async (_, response) => {
    expect(await wrapModel(scriptedModel(response), priced(table))(request)).toEqual(response)
  })
  test('a cost that was reported stays', async () => {
    expect(await costOf({ text: 'a', model: 'm', usage, costUsd: 0 })).toBe(0)
  })
  test('invalid prices are refused, all in one error', () => {
    const wrong = {
      a: { inputPerMillion: -1, outputPerMillion: 1 },
      b: 3,
      c: { inputPerMillion: 1 },
      d: { ...table.m, x: 1 },
    }
    expect(() => priced(wrong as never)).toThrow(refused)
    expect(() => priced(wrong as never)).toThrow(/"a".*"b".*"c": "outputPerMillion".*"d"/)
    expect(() => priced(undefined as never)).toThrow(refused)
  })
})
