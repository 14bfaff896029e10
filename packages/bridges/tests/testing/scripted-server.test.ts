import { expect, test } from 'vitest'
import { scriptedServer, scriptedUsage } from '../../testing/index.js'

const post = (url: string, body: object) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

test('speaks three protocols, and notes what it was asked', async () => {
  await using server = await scriptedServer(({ protocol }) => ({ text: `by ${protocol}` }))
  const chat = await (await post(`${server.url}/v1/chat/completions`, { model: 'm', messages: [] })).json()
  const responses = await (await post(`${server.url}/v1/responses`, { model: 'm', input: 'x' })).json()
  const messages = await (await post(`${server.url}/v1/messages?beta=true`, { model: 'm', messages: [] })).json()
  expect(chat.choices[0].message.content).toBe('by chat')
  expect(chat.usage.prompt_tokens).toBe(scriptedUsage.inputTokens)
  expect(responses.output[0].content[0].text).toBe('by responses')
  expect(messages.content).toEqual([{ type: 'text', text: 'by messages' }])
  expect(server.requests.map(({ protocol, index, body }) => [protocol, index, body['model']])).toEqual([
    ['chat', 0, 'm'],
    ['responses', 1, 'm'],
    ['messages', 2, 'm'],
  ])
})

test('anything else is unexpected, but for models and counting', async () => {
  await using server = await scriptedServer(() => ({}))
  expect((await fetch(`${server.url}/v1/models`)).status).toBe(200)
  expect(await (await post(`${server.url}/v1/messages/count_tokens`, {})).json()).toEqual({ input_tokens: 100 })
  expect(server.unexpected).toEqual([])
  expect((await fetch(`${server.url}/telemetry?x=1`)).status).toBe(404)
  expect(server.unexpected).toMatchObject([{ method: 'GET', path: '/telemetry?x=1', index: 0 }])
})

test('streams when it is asked to', async () => {
  await using server = await scriptedServer(() => ({
    text: 'Hello 👋 world',
    tools: [{ name: 'look', input: { a: 1 } }],
  }))
  const read = async (path: string, more: object = {}) =>
    (await post(`${server.url}${path}`, { stream: true, ...more })).text()
  const chat = await read('/chat/completions', { stream_options: { include_usage: true } })
  expect(chat.split('\n\n').at(-2)).toBe('data: [DONE]')
  expect(chat).toContain('"prompt_tokens":100')
  expect(await read('/responses')).toMatch(
    /event: response\.created[\s\S]*output_text\.delta[\s\S]*response\.completed/,
  )
  expect(await read('/messages')).toMatch(/message_start[\s\S]*text_delta[\s\S]*input_json_delta[\s\S]*message_stop/)
})

test('failures, late answers, slow bytes and broken connections', async () => {
  const turns = [
    { status: 429, headers: { 'retry-after': '1' } },
    { body: '{"broken' },
    { text: 'late', delayMs: 50 },
    { text: 'slow', trickleMs: 50 },
  ] as const
  await using server = await scriptedServer(({ index }) => turns[index] ?? { text: 'cut', cut: 'mid-stream' })
  const ask = () => post(`${server.url}/chat/completions`, {})
  const limited = await ask()
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '1'])
  expect((await limited.json()).error.message).toBe('scripted status 429')
  expect(await (await ask()).text()).toBe('{"broken')
  for (const text of ['late', 'slow']) expect((await (await ask()).json()).choices[0].message.content).toBe(text)
  await expect(ask().then((response) => response.text())).rejects.toThrow()
})

test('a script that throws is reported to the client', async () => {
  await using server = await scriptedServer(() => {
    throw new Error('no such turn')
  })
  const response = await post(`${server.url}/messages`, {})
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('no such turn')])
})
