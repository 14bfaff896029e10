import { userRequest } from '@jurist/core/llm'
import type { TestHarness } from '@jurist/core/testing'
import { expectSame, expectThat, rejectionOf } from './expect-that.js'
import type { ModelUnderTest } from './model-under-test.js'
import { scriptedServer } from './scripted-server.js'
import type { ScriptedRequest, ScriptedTurn } from './scripted-turn.js'

/** M4: temporary failures are retried, others are not. */
export function retryTests({ test }: TestHarness, { make, can }: ModelUnderTest): void {
  const serve = (...turns: readonly ScriptedTurn[]) => scriptedServer(({ index }) => turns[index] ?? { text: 'ok' })
  test('a refused request is not sent again', async () => {
    await using server = await serve({ status: 400 })
    const model = await make(server)
    const { code, status } = await rejectionOf(model(userRequest('Is it?')), 'status 400')
    expectSame([code, status], ['model-http', 400], 'code and status')
    expectSame(server.requests.length, 1, 'requests')
  })
  if (!can.retries) return
  test('a busy server is asked again, after the time that it names', async () => {
    await using server = await serve({ status: 429, headers: { 'retry-after': '1' } })
    const model = await make(server)
    const start = performance.now()
    expectSame((await model(userRequest('Is it?'))).text, 'ok', 'text')
    // Timers may fire a little early.
    expectThat(performance.now() - start >= 990, 'it was not waited')
    expectSame(server.requests.length, 2, 'requests')
  })
  test('a broken server is asked three times', async () => {
    await using server = await serve({ status: 500 }, { status: 500 }, { status: 500 })
    const model = await make(server)
    const { code, status } = await rejectionOf(model(userRequest('Is it?')), 'status 500')
    expectSame([code, status, server.requests.length], ['model-http', 500, 3], 'code, status and requests')
  })
  test('an answer that breaks off is asked for again', async () => {
    await using server = await serve({ text: 'half', cut: 'mid-stream' })
    const model = await make(server)
    expectSame((await model(userRequest('Is it?'))).text, 'ok', 'text')
    expectSame(server.requests.length, 2, 'requests')
  })
}

/** Long enough for a request that should not arrive. */
const laterMs = 200
/** Longer than any test: the answer would come after the client has gone. */
const neverMs = 600_000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** M5: an abort ends a call before, during and between requests; one time limit covers all attempts. */
export function abortTests({ test }: TestHarness, { make, can }: ModelUnderTest): void {
  const aborted = async (turn: ScriptedTurn, when: 'before the call' | 'after a request') => {
    await using server = await scriptedServer(() => turn)
    const model = await make(server)
    const stop = new AbortController()
    if (when === 'before the call') stop.abort(new Error('enough'))
    let isOver = false
    const call = rejectionOf(model(userRequest('Is it?', {}, stop.signal)), 'an aborted call')
    const end = () => {
      isOver = true
    }
    call.then(end, end)
    while (when === 'after a request' && server.requests.length === 0 && !isOver) await pause(5)
    if (turn.delayMs === undefined) await pause(laterMs)
    stop.abort(new Error('enough'))
    const { code } = await call
    expectSame(code, 'aborted', 'code')
    const requests = server.requests.length
    await pause(laterMs)
    expectSame(server.requests.length, requests, 'requests after the abort')
    return requests
  }
  test('aborted before the call: nothing is sent', async () => {
    expectSame(await aborted({ text: 'ok' }, 'before the call'), 0, 'requests')
  })
  test('aborted while waiting for the answer', async () => {
    expectSame(await aborted({ text: 'ok', delayMs: neverMs }, 'after a request'), 1, 'requests')
  })
  if (can.retries)
    test('aborted between two attempts', async () => {
      expectSame(await aborted({ status: 429, headers: { 'retry-after': '20' } }, 'after a request'), 1, 'requests')
    })
  test('the time of a request bounds all attempts', async () => {
    await using server = await scriptedServer(() => ({ text: 'ok', delayMs: neverMs }))
    const model = await make(server)
    const { code } = await rejectionOf(model(userRequest('Is it?', { timeoutMs: 200 })), 'a late answer')
    expectSame(code, 'model-timeout', 'code')
  })
}

/** M6: refusals reject, keys are not shown, simultaneous calls do not mix. */
export function secretTests({ test }: TestHarness, { make }: ModelUnderTest): void {
  test('a refusal rejects', async () => {
    await using server = await scriptedServer(({ protocol }) => ({
      text: '',
      stop: protocol === 'messages' ? 'refusal' : 'content_filter',
    }))
    const model = await make(server)
    expectSame((await rejectionOf(model(userRequest('Is it?')), 'a refusal')).code, 'model-refused', 'code')
  })
  test('no error and no answer contains the key', async () => {
    const told: string[] = []
    await using server = await scriptedServer((request) => {
      const echo = { error: { type: 'permission_error', message: `this key is wrong: ${keyIn(request) ?? 'none'}` } }
      return request.index === 0 ? { status: 403, body: echo } : { text: 'ok' }
    })
    const model = await make(server)
    const thrown = await rejectionOf(model(userRequest('Is it?')), 'status 403')
    told.push(thrown.message, thrown.stack ?? '', JSON.stringify(thrown), String(thrown.cause))
    told.push(JSON.stringify(await model(userRequest('Is it?'))))
    const key = server.requests.map(keyIn).find((found) => found !== undefined)
    // A local server may need none.
    if (key !== undefined) expectThat(!told.some((text) => text.includes(key)), 'the key was shown')
  })
  test('twenty simultaneous calls do not mix', async () => {
    await using server = await scriptedServer(({ body, index }) => ({
      text: /call-\d+-end/.exec(JSON.stringify(body))?.[0] ?? 'no mark',
      delayMs: (index * 7) % 40,
    }))
    const model = await make(server)
    const marks = Array.from({ length: 20 }, (_, call) => `call-${call}-end`)
    const answers = await Promise.all(marks.map((mark) => model(userRequest(`Say ${mark}.`))))
    expectSame(
      answers.map(({ text }) => text),
      marks,
      'answers',
    )
  })
}

/** Each protocol has another place for it. */
function keyIn({ headers }: ScriptedRequest): string | undefined {
  return headers['x-api-key'] ?? headers['authorization']?.replace(/^Bearer\s+/i, '')
}
