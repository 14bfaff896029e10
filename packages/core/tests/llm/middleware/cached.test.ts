import type { JudgeModel, JudgeModelRequest, ModelCache } from '@jurist/core/llm'
import { cached, memoryCache, promptTemplate, requestKey, userRequest, wrapModel } from '@jurist/core/llm'
import { aContext, scriptedModel } from '@jurist/core/testing'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'

const aborted = expect.objectContaining({ code: 'aborted' })
const paid = { text: 'a', model: 'm', usage: { inputTokens: 5 }, costUsd: 1, metadata: { id: 'r1' } }
const hit = { text: 'a', model: 'm', costUsd: 0, metadata: { id: 'r1', cached: true } }

/** A model whose answers come when the test says so. */
function held() {
  const calls: {
    readonly request: JudgeModelRequest
    readonly answer: (text: string) => void
    readonly fail: (thrown: unknown) => void
  }[] = []
  const model: JudgeModel = (request) =>
    new Promise((resolve, reject) => {
      calls.push({ request, answer: (text) => resolve({ ...paid, text }), fail: reject })
      request.signal.addEventListener('abort', () => reject(new Error('given up')))
    })
  return { model, calls, called: async (count: number) => expect.poll(() => calls.length).toBe(count) }
}

describe('requestKey', () => {
  const request = userRequest('x', { temperature: 0, seed: 1 })

  test('is a SHA-256', async () => expect(await requestKey(request)).toMatch(/^[\da-f]{64}$/))
  test.each<[string, Partial<JudgeModelRequest>]>([
    ['the signal', { signal: new AbortController().signal }],
    ['other metadata', { metadata: { anything: 1 } }],
    ['timeoutMs', { options: { temperature: 0, seed: 1, timeoutMs: 9 } }],
    ['the order of keys', { options: { seed: 1, temperature: 0 } }],
    ['absent keys', { options: { seed: 1, temperature: 0, model: undefined } as never }],
  ])('%s does not count', async (_, change) => {
    expect(await requestKey({ ...request, ...change })).toBe(await requestKey(request))
  })
  test.each<[string, Partial<JudgeModelRequest>]>([
    ['a message', { messages: [{ role: 'user', content: 'y' }] }],
    ['a role', { messages: [{ role: 'system', content: 'x' }] }],
    ['an option', { options: { temperature: 0, seed: 2 } }],
    ['the sample', { metadata: { sample: 0 } }],
  ])('%s counts', async (_, change) => {
    expect(await requestKey({ ...request, ...change })).not.toBe(await requestKey(request))
  })
  test('the number of the fence does not count, the text within does', async () => {
    const template = promptTemplate('t', '{{output}}', { fenced: ['output'] })
    const keyOf = async (agentOutput: string) => {
      const { messages, fence = '' } = await template(aContext({ agentOutput }))
      return requestKey({ ...userRequest(''), messages, metadata: { fence } })
    }
    expect(await keyOf('a')).toBe(await keyOf('a'))
    expect(await keyOf('a')).not.toBe(await keyOf('b'))
  })
  test('is the same where only Web Crypto hashes', async () => {
    const texts = ['', 'x', 'ü😀\ud800', 'x'.repeat(10_000)]
    const keys = () => Promise.all(texts.map((text) => requestKey(userRequest(text))))
    const atOnce = await keys()
    const spy = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never)
    expect(await keys()).toEqual(atOnce)
    expect(spy).toHaveBeenCalled()
    spy.mockRestore()
  })
  test('law: different texts have different keys', () =>
    fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), async (a, b) => {
        expect((await requestKey(userRequest(a))) === (await requestKey(userRequest(b)))).toBe(a === b)
      }),
    ))
})

describe('cached', () => {
  test('gives back what was stored, a log-probability of minus infinity too', async () => {
    const logprobs = [{ token: '7', logprob: 0, top: [{ token: '8', logprob: Number.NEGATIVE_INFINITY }] }]
    const store = memoryCache()
    await store.set('k', { ...paid, logprobs, data: undefined } as never)
    const kept = await store.get('k')
    expect(kept).toStrictEqual({ ...paid, logprobs })
    expect(Object.isFrozen(kept?.logprobs?.[0]?.top)).toBe(true)
  })
  test('asks once; a hit is free, has no usage, and says so', async () => {
    const inner = scriptedModel(paid)
    const model = wrapModel(inner, cached())
    expect(await model(userRequest('x'))).toEqual(paid)
    expect(await model(userRequest('x'))).toEqual(hit)
    expect(await model(userRequest('x'))).toEqual(hit)
    expect(inner.requests).toHaveLength(1)
  })
  test('failures are not kept', async () => {
    const model = wrapModel(scriptedModel(new Error('boom'), paid), cached())
    await expect(model(userRequest('x'))).rejects.toThrow('boom')
    expect(await model(userRequest('x'))).toEqual(paid)
  })
  test('a store is shared, unless scopes keep it apart', async () => {
    const store = memoryCache()
    const of = (text: string, scope?: string) =>
      wrapModel(scriptedModel(text), scope === undefined ? cached(store) : cached(store, { scope }))
    expect((await of('a')(userRequest('x'))).text).toBe('a')
    expect((await of('b')(userRequest('x'))).text).toBe('a')
    expect((await of('c', 'one')(userRequest('x'))).text).toBe('c')
    expect((await of('d', 'one')(userRequest('x'))).text).toBe('c')
    expect((await of('e', 'two')(userRequest('x'))).text).toBe('e')
  })
  test('what is kept cannot be changed from outside', async () => {
    const answer = { text: 'a', metadata: { list: ['x'] } }
    const model = wrapModel(scriptedModel(answer), cached())
    await model(userRequest('x'))
    answer.metadata.list.push('y')
    expect((await model(userRequest('x'))).metadata).toEqual({ list: ['x'], cached: true })
  })
  test('a key whose value is undefined does not keep an answer out', async () => {
    const model = wrapModel(scriptedModel({ text: 'a', usage: undefined } as never), cached())
    await model(userRequest('x'))
    expect((await model(userRequest('x'))).metadata).toEqual({ cached: true })
  })
  test.each(['get', 'set'] as const)('a store whose %s fails is treated as one that has nothing', async (verb) => {
    const broken: ModelCache = { ...memoryCache(), [verb]: async () => Promise.reject(new Error('disk')) }
    const model = wrapModel(scriptedModel('a', 'b'), cached(broken))
    expect([(await model(userRequest('x'))).text, (await model(userRequest('x'))).text]).toEqual(['a', 'b'])
  })
  test('equal requests in flight share one call, which is paid once', async () => {
    const { model, calls, called } = held()
    const shared = wrapModel(model, cached())
    const answers = Promise.all([shared(userRequest('x')), shared(userRequest('x')), shared(userRequest('x'))])
    await called(1)
    calls[0]?.answer('a')
    expect(await answers).toEqual([paid, hit, hit])
    expect(calls).toHaveLength(1)
  })
  test('a failure is shared too', async () => {
    const { model, calls, called } = held()
    const shared = wrapModel(model, cached())
    const answers = Promise.allSettled([shared(userRequest('x')), shared(userRequest('x'))])
    await called(1)
    calls[0]?.fail(new Error('boom'))
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
  test('a caller that gives up leaves the call to the others, and the next one has paid', async () => {
    const { model, calls, called } = held()
    const shared = wrapModel(model, cached())
    const abort = new AbortController()
    const first = shared(userRequest('x', {}, abort.signal))
    const second = shared(userRequest('x'))
    await called(1)
    abort.abort()
    await expect(first).rejects.toThrow(aborted)
    expect(calls[0]?.request.signal.aborted).toBe(false)
    calls[0]?.answer('a')
    expect(await second).toEqual(paid)
  })
  test('when all give up the call is aborted, and the next one asks again', async () => {
    const { model, calls, called } = held()
    const shared = wrapModel(model, cached())
    const abort = new AbortController()
    const answers = Promise.allSettled([1, 2].map(() => shared(userRequest('x', {}, abort.signal))))
    await called(1)
    abort.abort()
    for (const answer of await answers) expect(answer).toMatchObject({ reason: { code: 'aborted' } })
    expect(calls[0]?.request.signal.aborted).toBe(true)
    const next = shared(userRequest('x'))
    await called(2)
    calls[1]?.answer('b')
    expect((await next).text).toBe('b')
  })
  test('an aborted request does not even look', async () => {
    const inner = scriptedModel('a')
    await expect(wrapModel(inner, cached())(userRequest('x', {}, AbortSignal.abort()))).rejects.toThrow(aborted)
    expect(inner.requests).toHaveLength(0)
  })
  test('a store that hangs can be aborted', async () => {
    const hanging: ModelCache = { ...memoryCache(), get: () => new Promise(() => undefined) }
    const abort = new AbortController()
    const answer = wrapModel(scriptedModel('a'), cached(hanging))(userRequest('x', {}, abort.signal))
    setTimeout(() => abort.abort(), 5)
    await expect(answer).rejects.toThrow(aborted)
  })
  test('law: however requests overlap, each key is asked once and paid once', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { maxLength: 20 }), async (asked) => {
        const inner = scriptedModel(async ({ messages }) => {
          await new Promise((resolve) => setTimeout(resolve, 1))
          return { ...paid, text: messages[0]?.content ?? '' }
        })
        const model = wrapModel(inner, cached())
        const answers = await Promise.all(
          asked.map(async ([text, delay]) => {
            await new Promise((resolve) => setTimeout(resolve, delay))
            return { text, response: await model(userRequest(String(text))) }
          }),
        )
        const keys = new Set(asked.map(([text]) => text))
        expect(inner.requests).toHaveLength(keys.size)
        expect(answers.filter(({ response }) => response.costUsd === 1)).toHaveLength(keys.size)
        for (const { text, response } of answers) expect(response.text).toBe(String(text))
      }),
      { numRuns: 30 },
    ))
})

describe('wrapModel', () => {
  test('puts the first outermost', async () => {
    const mark =
      (name: string) =>
      (model: JudgeModel): JudgeModel =>
      async (request) => ({
        text: `${name}(${(await model(request)).text})`,
      })
    expect((await wrapModel(scriptedModel('m'), mark('a'), mark('b'))(userRequest('x'))).text).toBe('a(b(m))')
  })
  test('refuses what is no middleware', () => {
    expect(() => wrapModel(scriptedModel(), cached as never, {} as never)).toThrow(/middleware 2/)
    expect(() => wrapModel(undefined as never)).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  })
})
