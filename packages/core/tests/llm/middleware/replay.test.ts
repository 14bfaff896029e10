import type { Cassette, CassetteStore, JudgeModel } from '@jurist/core/llm'
import { promptTemplate, replay, requestKey, userRequest, wrapModel } from '@jurist/core/llm'
import { aContext, scriptedModel } from '@jurist/core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const never: JudgeModel = () => Promise.reject(new Error('the model must not be asked'))

/** A store in memory that goes through JSON, as a file does. */
function memory(first?: Cassette) {
  const saved: string[] = first === undefined ? [] : [JSON.stringify(first)]
  const store: CassetteStore = {
    load: async () => (saved.length === 0 ? undefined : JSON.parse(saved.at(-1) ?? '')),
    save: async (cassette) => void saved.push(JSON.stringify(cassette)),
  }
  return { store, saved, cassette: () => JSON.parse(saved.at(-1) ?? 'null') as Cassette }
}

async function cassetteWith(...answers: readonly (readonly [question: string, answer: string])[]): Promise<Cassette> {
  const entries = answers.map(async ([question, text]) => {
    const request = userRequest(question)
    return { key: await requestKey(request), messages: request.messages, response: { text } }
  })
  return { format: 'jurist-cassette/1', entries: await Promise.all(entries) }
}

const ask = async (model: JudgeModel, question: string) => (await model(userRequest(question))).text

describe('replay', () => {
  test('plays equal requests in order, the last one repeats', async () => {
    const model = wrapModel(never, replay(await cassetteWith(['x', 'x1'], ['y', 'y1'], ['x', 'x2'])))
    const texts = []
    for (const question of ['x', 'y', 'x', 'x', 'y']) texts.push(await ask(model, question))
    expect(texts).toEqual(['x1', 'y1', 'x2', 'x2', 'y1'])
  })
  test('in order of the calls, also when they are concurrent', async () => {
    const model = wrapModel(never, replay(await cassetteWith(['x', '1'], ['x', '2'], ['x', '3'])))
    expect(await Promise.all([1, 2, 3].map(() => ask(model, 'x')))).toEqual(['1', '2', '3'])
  })
  test('an unknown request is an error that names it', async () => {
    const miss = wrapModel(never, replay(await cassetteWith(['x', '1'])))(userRequest('what is new?'))
    const key = await requestKey(userRequest('what is new?'))
    await expect(miss).rejects.toMatchObject({ code: 'replay-miss', details: { key } })
    await expect(miss).rejects.toThrow(/"what is new\?".*mode "auto"/)
  })
  test('each wrapped model plays a cassette from the start', async () => {
    const again = replay(await cassetteWith(['x', '1'], ['x', '2']))
    expect([await ask(wrapModel(never, again), 'x'), await ask(wrapModel(never, again), 'x')]).toEqual(['1', '1'])
  })
  test('from a store that has nothing everything is a miss', async () => {
    const model = wrapModel(never, replay(memory().store))
    await expect(model(userRequest('x'))).rejects.toMatchObject({ code: 'replay-miss' })
  })
  test('a load that fails is an error, and tried again', async () => {
    const { store } = memory(await cassetteWith(['x', '1']))
    let failing = true
    const load = () => (failing ? Promise.reject(new Error('disk')) : store.load())
    const model = wrapModel(never, replay({ ...store, load }))
    await expect(model(userRequest('x'))).rejects.toThrow('disk')
    failing = false
    expect(await ask(model, 'x')).toBe('1')
  })
  test('a fence is new each time and yet known', async () => {
    const { store, cassette } = memory()
    const template = promptTemplate('t', '{{output}}', { fenced: ['output'] })
    const request = async () => {
      const { messages, fence = '' } = await template(aContext({ agentOutput: 'data' }))
      return { ...userRequest(''), messages, metadata: { fence } }
    }
    await wrapModel(scriptedModel('a'), replay(store, { mode: 'record' }))(await request())
    expect(cassette().entries[0]?.messages[0]?.content).toBe('<<output FENCE>>\ndata\n<<end output FENCE>>')
    expect((await wrapModel(never, replay(store))(await request())).text).toBe('a')
  })
})

describe('record', () => {
  test('always asks, and appends', async () => {
    const { store, cassette } = memory(await cassetteWith(['x', 'old']))
    const model = wrapModel(scriptedModel('new', { text: 'y', costUsd: 2 }), replay(store, { mode: 'record' }))
    expect([await ask(model, 'x'), await ask(model, 'y')]).toEqual(['new', 'y'])
    expect(cassette().format).toBe('jurist-cassette/1')
    expect(cassette().entries.map(({ response }) => response)).toEqual([
      { text: 'old' },
      { text: 'new' },
      { text: 'y', costUsd: 2 },
    ])
  })
  test('failures are not recorded', async () => {
    const { store, saved } = memory()
    const model = wrapModel(scriptedModel(new Error('boom')), replay(store, { mode: 'record' }))
    await expect(model(userRequest('x'))).rejects.toThrow('boom')
    expect(saved).toEqual([])
  })
  test('a recording that cannot be saved is an error', async () => {
    const { store } = memory()
    const save = () => Promise.reject(new Error('disk'))
    const model = wrapModel(scriptedModel('a', 'b'), replay({ ...store, save }, { mode: 'record' }))
    await expect(model(userRequest('x'))).rejects.toThrow('disk')
    await expect(model(userRequest('x'))).rejects.toThrow('disk')
  })
  test('in the order of the calls, however they end', async () => {
    const { store, cassette } = memory()
    const waits = [20, 1, 10]
    const inner = scriptedModel(async () => {
      const ms = waits.shift() ?? 0
      await new Promise((resolve) => setTimeout(resolve, ms))
      return `after ${ms}`
    })
    const model = wrapModel(inner, replay(store, { mode: 'record' }))
    const texts = await Promise.all([1, 2, 3].map(() => ask(model, 'x')))
    expect(cassette().entries.map(({ response }) => response.text)).toEqual(texts)
    expect(texts).toEqual(['after 20', 'after 1', 'after 10'])
  })
  test('many concurrent recordings are saved together, and none is lost', async () => {
    const { store, saved, cassette } = memory()
    const slow: CassetteStore = {
      ...store,
      save: async (given) => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        await store.save(given)
      },
    }
    const model = wrapModel(
      scriptedModel(() => 'a'),
      replay(slow, { mode: 'record' }),
    )
    await Promise.all(Array.from({ length: 50 }, (_, index) => ask(model, `${index}`)))
    expect(cassette().entries).toHaveLength(50)
    expect(saved.length).toBeLessThan(10)
  })
})

describe('auto', () => {
  test('replays what is known and records the rest', async () => {
    const { store, cassette } = memory(await cassetteWith(['x', 'known']))
    const inner = scriptedModel('fresh')
    const model = wrapModel(inner, replay(store, { mode: 'auto' }))
    expect([await ask(model, 'x'), await ask(model, 'y'), await ask(model, 'y')]).toEqual(['known', 'fresh', 'fresh'])
    expect(inner.requests).toHaveLength(1)
    expect(cassette().entries).toHaveLength(2)
  })
  test('what follows concurrent equal requests is answered as the replay will answer it', async () => {
    const { store } = memory()
    const asked = async (model: JudgeModel) => [
      ...(await Promise.all([ask(model, 'x'), ask(model, 'x')])),
      await ask(model, 'x'),
    ]
    let count = 0
    const slow = scriptedModel(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return `${++count}`
    })
    const recorded = await asked(wrapModel(slow, replay(store, { mode: 'auto' })))
    expect(recorded).toEqual(['1', '2', '2'])
    expect(await asked(wrapModel(never, replay(store)))).toEqual(recorded)
  })
  test('law: what was recorded is replayed as it was', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { maxLength: 12 }), fc.boolean(), async (questions, atOnce) => {
        const { store } = memory()
        let count = 0
        const inner = scriptedModel(() => `${count++}`)
        const asked = async (model: JudgeModel) => {
          if (atOnce) return Promise.all(questions.map((question) => ask(model, `${question}`)))
          const texts = []
          for (const question of questions) texts.push(await ask(model, `${question}`))
          return texts
        }
        const recorded = await asked(wrapModel(inner, replay(store, { mode: 'auto' })))
        expect(await asked(wrapModel(never, replay(store)))).toEqual(recorded)
      }),
      { numRuns: 50 },
    ))
  test('a request in flight is not taken for the last one', async () => {
    const { store } = memory()
    const ends: ((text: string) => void)[] = []
    const inner: JudgeModel = () => new Promise((resolve) => ends.push((text) => resolve({ text })))
    const model = wrapModel(inner, replay(store, { mode: 'auto' }))
    const first = ask(model, 'x')
    const second = ask(model, 'x')
    await expect.poll(() => ends.length).toBe(2)
    ends[0]?.('1')
    await first
    const third = ask(model, 'x')
    await expect.poll(() => ends.length).toBe(3)
    ends[2]?.('3')
    ends[1]?.('2')
    const texts = [await first, await second, await third, await ask(model, 'x')]
    expect(texts).toEqual(['1', '2', '3', '3'])
    const again = wrapModel(never, replay(store))
    expect([await ask(again, 'x'), await ask(again, 'x'), await ask(again, 'x'), await ask(again, 'x')]).toEqual(texts)
  })
  test('a call that fails, or is given up, leaves no place behind', async () => {
    const { store } = memory()
    const stop = new AbortController()
    const inner = scriptedModel(new Error('down'), () => new Promise<string>(() => undefined), 'a')
    const model = wrapModel(inner, replay(store, { mode: 'auto' }))
    await expect(model(userRequest('x'))).rejects.toThrow('down')
    const given = model(userRequest('x', {}, stop.signal))
    await expect.poll(() => inner.requests.length).toBe(2)
    stop.abort()
    await expect(given).rejects.toMatchObject({ code: 'aborted' })
    expect([await ask(model, 'x'), await ask(model, 'x')]).toEqual(['a', 'a'])
    expect(inner.requests).toHaveLength(3)
  })
  test('law: the same with a model of uneven speed, and with requests that start at any time', () => {
    const ticks = async (count: number) => {
      for (let tick = 0; tick < count; tick++) await Promise.resolve()
    }
    const request = fc.record({ question: fc.nat(1), start: fc.nat(60), takes: fc.nat(60) })
    return fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 8 }), fc.nat(5), async (requests, slowSave) => {
        const { store, cassette } = memory()
        const slow: CassetteStore = {
          ...store,
          save: async (given) => {
            await ticks(slowSave)
            await store.save(given)
          },
        }
        let count = 0
        const speeds = requests.map(({ takes }) => takes)
        const inner = scriptedModel(async () => {
          const own = count++
          await ticks(speeds[own % speeds.length] ?? 0)
          return `${own}`
        })
        /** The order in which the questions were asked, for that is what a replay goes by. */
        const order: number[] = []
        const model = wrapModel(inner, replay(slow, { mode: 'auto' }))
        const recorded = await Promise.all(
          requests.map(async ({ question, start }, index) => {
            await ticks(start)
            order.push(index)
            return ask(model, `${question}`)
          }),
        )
        const again = wrapModel(never, replay(store))
        const replayed: string[] = []
        for (const index of order) replayed[index] = await ask(again, `${requests[index]?.question}`)
        expect(replayed).toEqual(recorded)
        if (requests.length > 0) expect(cassette().entries).toHaveLength(count)
      }),
      { numRuns: 300 },
    )
  })
})

test('what makes no sense is refused', async () => {
  const refused = expect.objectContaining({ code: 'option-invalid' })
  const cassette = await cassetteWith()
  expect(() => replay(cassette, { mode: 'record' })).toThrow(refused)
  expect(() => replay(cassette, { mode: 'auto' })).toThrow(refused)
  expect(() => replay(cassette, { mode: 'play' as never })).toThrow(refused)
  expect(() => replay({ format: 'jurist-cassette/2', entries: [] } as never)).toThrow(refused)
  expect(() => replay(undefined as never)).toThrow(refused)
})

test('waiting for a cassette can be aborted', async () => {
  const abort = new AbortController()
  const load = () => new Promise<undefined>(() => undefined)
  const answer = wrapModel(never, replay({ load, save: async () => undefined }))(userRequest('x', {}, abort.signal))
  abort.abort()
  await expect(answer).rejects.toThrow(expect.objectContaining({ code: 'aborted' }))
})
