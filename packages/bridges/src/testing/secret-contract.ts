import { userRequest } from '@jurist/core/llm'
import type { TestHarness } from '@jurist/core/testing'
import { expectSame, expectThat, rejectionOf } from './expect-that.js'
import type { ModelUnderTest } from './model-under-test.js'
import { scriptedServer } from './scripted-server.js'
import type { ScriptedRequest } from './scripted-turn.js'

/** M6: refusals reject, keys are told to nobody, calls at once stay apart. */
export function secretTests({ test }: TestHarness, { make }: ModelUnderTest): void {
  test('a refusal rejects', async () => {
    await using server = await scriptedServer(({ protocol }) => ({
      text: '',
      stop: protocol === 'messages' ? 'refusal' : 'content_filter',
    }))
    const model = await make(server)
    expectSame((await rejectionOf(model(userRequest('Is it?')), 'a refusal')).code, 'model-refused', 'code')
  })
  test('the key stands in no error and in no answer', async () => {
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
    if (key !== undefined) expectThat(!told.some((text) => text.includes(key)), 'the key was told')
  })
  test('twenty calls at once stay apart', async () => {
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

/** The key of a request, wherever its protocol keeps it. */
function keyIn({ headers }: ScriptedRequest): string | undefined {
  return headers['x-api-key'] ?? headers['authorization']?.replace(/^Bearer\s+/i, '')
}
