import { userRequest } from '@jurist/core/llm'
import type { TestHarness } from '@jurist/core/testing'
import { expectSame, expectThat, rejectionOf } from './expect-that.js'
import type { ModelUnderTest } from './model-under-test.js'
import { scriptedServer } from './scripted-server.js'
import type { ScriptedTurn } from './scripted-turn.js'

/** An abort must end a call within 100 ms; a busy machine gets some more. */
const soonMs = 500
/** Long enough for a request that should not come. */
const laterMs = 200

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** M5: an abort ends a call, before, during and between requests; one clock bounds them all. */
export function abortTests({ test }: TestHarness, { make, can }: ModelUnderTest): void {
  const aborted = async (turn: ScriptedTurn, afterMs: number | undefined) => {
    await using server = await scriptedServer(() => turn)
    const model = await make(server)
    const stop = new AbortController()
    if (afterMs === undefined) stop.abort(new Error('enough'))
    const call = rejectionOf(model(userRequest('Is it?', {}, stop.signal)), 'an aborted call')
    if (afterMs !== undefined) await pause(afterMs)
    const start = performance.now()
    stop.abort(new Error('enough'))
    const { code } = await call
    expectSame(code, 'aborted', 'code')
    expectThat(performance.now() - start < soonMs, 'the call did not end soon')
    const requests = server.requests.length
    await pause(laterMs)
    expectSame(server.requests.length, requests, 'requests after the abort')
    return requests
  }
  test('aborted before the call: nothing is sent', async () => {
    expectSame(await aborted({ text: 'ok' }, undefined), 0, 'requests')
  })
  test('aborted while waiting for the answer', async () => {
    expectSame(await aborted({ text: 'ok', delayMs: 10_000 }, 150), 1, 'requests')
  })
  if (can.retries)
    test('aborted between two attempts', async () => {
      expectSame(await aborted({ status: 429, headers: { 'retry-after': '20' } }, 300), 1, 'requests')
    })
  test('the time of a request bounds all attempts', async () => {
    await using server = await scriptedServer(() => ({ text: 'ok', delayMs: 10_000 }))
    const model = await make(server)
    const start = performance.now()
    const { code } = await rejectionOf(model(userRequest('Is it?', { timeoutMs: 200 })), 'a late answer')
    expectSame(code, 'model-timeout', 'code')
    expectThat(performance.now() - start < 200 + 2 * soonMs, 'the call was not bounded')
  })
}
