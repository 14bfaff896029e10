import type { JsonObject } from '@jurist/core'
import type { JudgeModelRequest } from '@jurist/core/llm'
import { userRequest } from '@jurist/core/llm'
import type { TestHarness } from '@jurist/core/testing'
import { expectThat } from './expect-that.js'
import type { ModelUnderTest } from './model-under-test.js'
import { warningsOf } from './model-under-test.js'
import { scriptedServer } from './scripted-server.js'

const conversation: JudgeModelRequest = {
  ...userRequest('', { temperature: 0.25, maxTokens: 321, seed: 77 }),
  messages: [
    { role: 'system', content: 'You are the system of the test.' },
    { role: 'user', content: 'First "question"?' },
    { role: 'assistant', content: 'First answer\nof two lines.' },
    { role: 'user', content: 'Second question 🙂?' },
  ],
}

/** Where each protocol says a setting. */
const places: { readonly [setting: string]: readonly [value: number, ...names: string[]] } = {
  temperature: [0.25, 'temperature'],
  maxTokens: [321, 'max_tokens', 'max_completion_tokens', 'max_output_tokens'],
  seed: [77, 'seed'],
}

/** M1: what was asked goes out, or a warning comes back. */
export function wireTests({ test }: TestHarness, { make }: ModelUnderTest): void {
  test('all roles reach the wire, in order', async () => {
    await using server = await scriptedServer(() => ({ text: 'ok' }))
    const model = await make(server)
    await model(conversation)
    const sent = textsIn(server.requests[0]?.body ?? {})
    for (const { content } of conversation.messages)
      expectThat(
        sent.some((text) => text.includes(content)),
        `${JSON.stringify(content)} did not reach the wire`,
      )
    const [user, assistant, second] = conversation.messages
      .slice(1)
      .map(({ content }) => sent.findIndex((text) => text.includes(content)))
    expectThat(Number(user) < Number(assistant) && Number(assistant) < Number(second), 'the messages are out of order')
  })
  test('settings reach the wire, or a warning names them', async () => {
    await using server = await scriptedServer(() => ({ text: 'ok' }))
    const model = await make(server)
    const warnings = warningsOf(await model(conversation))
    const body = server.requests[0]?.body ?? {}
    for (const [setting, [value, ...names]] of Object.entries(places)) {
      const sent = names.some((name) => body[name] === value)
      const warned = warnings.some((warning) => [setting, ...names].some((name) => warning.includes(name)))
      expectThat(sent || warned, `${setting} is neither on the wire nor in a warning: ${JSON.stringify(warnings)}`)
      expectThat(!(sent && warned), `${setting} was sent, and a warning says that it was not`)
    }
  })
}

/** Every text of a request, in order. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value as JsonObject).flatMap(textsIn)
}
