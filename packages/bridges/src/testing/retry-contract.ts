import { userRequest } from '@jurist/core/llm'
import type { TestHarness } from '@jurist/core/testing'
import { expectSame, expectThat, rejectionOf } from './expect-that.js'
import type { ModelUnderTest } from './model-under-test.js'
import { scriptedServer } from './scripted-server.js'
import type { ScriptedTurn } from './scripted-turn.js'

/** M4: what may pass is tried again, what cannot is not. */
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
