import { openAiCompatibleModel } from '@jurist/bridges/openai-compatible'
import { userRequest } from '@jurist/core/llm'
import { describe, expect, test } from 'vitest'
import { type ScriptedTurn, scriptedServer, scriptedUsage } from '../../testing/index.js'

const serve = (...turns: readonly ScriptedTurn[]) => scriptedServer(({ index }) => turns[index] ?? { text: 'ok' })
const modelAt = (url: string, more: object = {}) =>
  openAiCompatibleModel({ baseUrl: `${url}/v1/`, model: 'scripted', apiKey: 'sk-very-secret', ...more })
const noWait = { retries: { baseMs: 0 } }

describe('what goes out', () => {
  test('messages, settings and the key', async () => {
    await using server = await serve()
    const model = modelAt(server.url, { systemRole: 'developer', body: { reasoning_effort: 'low' } })
    const { messages: user, ...request } = userRequest('Hi', { temperature: 0.2, maxTokens: 90, seed: 7 })
    await model({ ...request, messages: [{ role: 'system', content: 'Be brief.' }, ...user] })
    expect(server.requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer sk-very-secret' },
      body: {
        model: 'scripted',
        messages: [
          { role: 'developer', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
        ],
        temperature: 0.2,
        max_completion_tokens: 90,
        seed: 7,
        reasoning_effort: 'low',
      },
    })
  })

  test('no key, no header; a key may be asked for each time; the query of the base stays', async () => {
    await using server = await serve()
    const keys = ['first', 'second']
    const apiKey = async () => keys.shift() ?? ''
    const model = openAiCompatibleModel({ baseUrl: `${server.url}/v1?api-version=2`, model: 'm', apiKey })
    await model(userRequest('Hi'))
    await model(userRequest('Hi'))
    await openAiCompatibleModel({ baseUrl: server.url, model: 'm' })(userRequest('Hi'))
    expect(server.requests.map(({ path, headers }) => [path, headers['authorization']])).toEqual([
      ['/v1/chat/completions?api-version=2', 'Bearer first'],
      ['/v1/chat/completions?api-version=2', 'Bearer second'],
      ['/chat/completions', undefined],
    ])
  })
})

describe('what comes back', () => {
  test('text, model, usage, facts', async () => {
    await using server = await serve({ text: 'Answer: YES', stop: 'length' })
    expect(await modelAt(server.url)(userRequest('Hi'))).toEqual({
      text: 'Answer: YES',
      model: 'scripted',
      usage: scriptedUsage,
      metadata: {
        finishReason: 'length',
        responseId: 'chatcmpl-scripted-0',
        attempts: 1,
        truncated: true,
        systemFingerprint: 'fp_scripted',
      },
    })
  })

  test('cost: what the gateway says, else the table, else a warning', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 1, cost: 0.5 }
    const choices = [{ message: { content: 'ok' }, finish_reason: 'stop' }]
    await using server = await serve({ body: { model: 'scripted', choices, usage } })
    const price = { inputPerMillion: 1_000, outputPerMillion: 2_000, cacheReadPerMillion: 100 }
    const model = modelAt(server.url, { prices: { scripted: price } })
    expect((await model(userRequest('Hi'))).costUsd).toBe(0.5)
    // 50 fresh, 10 written to the cache as input, 40 read from it, 20 written out.
    expect((await model(userRequest('Hi'))).costUsd).toBeCloseTo((60 * 1_000 + 40 * 100 + 20 * 2_000) / 1e6, 12)
    await using owing = await serve({ body: { model: 'scripted', choices, usage: { ...usage, cost: -1 } } })
    const negative = await modelAt(owing.url)(userRequest('Hi'))
    expect([negative.costUsd, negative.metadata?.['warnings']]).toEqual([undefined, ['malformed: usage.cost']])
    const unknown = await modelAt(server.url, { prices: { other: price } })(userRequest('Hi'))
    expect(unknown).not.toHaveProperty('costUsd')
    expect(unknown.metadata?.['warnings']).toEqual(['cost-unknown: no price for scripted'])
  })

  test('log-probabilities, where they were asked for', async () => {
    await using server = await serve(
      ...[1, 2].map(() => ({ text: '7', logprobs: [{ token: '7', logprob: -0.1, top: { '7': -0.1, '8': -2.4 } }] })),
    )
    const { logprobs } = await modelAt(server.url)(userRequest('Hi', { topLogprobs: 50 }))
    expect(server.requests[0]?.body).toMatchObject({ logprobs: true, top_logprobs: 20 })
    expect(logprobs).toEqual([
      {
        token: '7',
        logprob: -0.1,
        top: [
          { token: '7', logprob: -0.1 },
          { token: '8', logprob: -2.4 },
        ],
      },
    ])
    expect(await modelAt(server.url)(userRequest('Hi'))).not.toHaveProperty('logprobs')
  })
})

describe('an answer that keeps a schema', () => {
  const schema = { type: 'object', properties: { ok: { type: 'boolean' } } }
  const ask = userRequest('Hi', { responseSchema: schema })

  test('auto: one step looser on each refusal, remembered', async () => {
    await using server = await serve(
      { status: 400 },
      { status: 422 },
      { text: '```json\n{"ok":true}\n```' },
      { text: '{"ok":false}' },
    )
    const model = modelAt(server.url)
    expect((await model(ask)).data).toEqual({ ok: true })
    expect((await model(ask)).data).toEqual({ ok: false })
    const formats = server.requests.map(({ body }) => (body['response_format'] as { type: string } | undefined)?.type)
    expect(formats).toEqual(['json_schema', 'json_object', undefined, undefined])
    expect(JSON.stringify(server.requests[3]?.body['messages'])).toContain('JSON Schema')
  })

  test('a schema that is refused loosens no other; what was loosened is said', async () => {
    const other = userRequest('Hi', { responseSchema: { ...schema, properties: { fine: { type: 'boolean' } } } })
    await using server = await scriptedServer(({ body }) =>
      JSON.stringify(body['response_format'] ?? null).includes('"ok"') ? { status: 400 } : { text: '{}' },
    )
    const model = modelAt(server.url)
    const notices = []
    for (const request of [other, ask, other, ask]) notices.push((await model(request)).metadata?.['notices'])
    const formats = server.requests.map(({ body }) => (body['response_format'] as { type: string } | undefined)?.type)
    expect(formats).toEqual(['json_schema', 'json_schema', 'json_object', 'json_schema', 'json_object'])
    const notice = [expect.stringMatching(/"scripted" refuses the JSON Schema of ok, so .* as a JSON object/)]
    expect(notices).toEqual([undefined, notice, undefined, notice])
  })

  test('a request that fails to the last forgets what it tried', async () => {
    await using server = await serve({ status: 400 }, { status: 400 }, { status: 400 }, { text: '{}' })
    const model = modelAt(server.url)
    await expect(model(ask)).rejects.toMatchObject({ code: 'model-http', status: 400 })
    await model(ask)
    expect(server.requests[3]?.body['response_format']).toMatchObject({ type: 'json_schema' })
  })

  test('by a forced tool; by the schema alone; broken JSON keeps the text', async () => {
    await using server = await serve(
      { tools: [{ name: 'judgment', input: { ok: true } }] },
      { text: '{"ok":' },
      { status: 400 },
    )
    expect(await modelAt(server.url, { structured: 'tool' })(ask)).toMatchObject({
      text: '{"ok":true}',
      data: { ok: true },
    })
    expect(server.requests[0]?.body['tool_choice']).toEqual({ type: 'function', function: { name: 'judgment' } })
    const broken = await modelAt(server.url, { structured: 'schema' })(ask)
    expect(broken.text).toBe('{"ok":')
    expect(broken).not.toHaveProperty('data')
    await expect(modelAt(server.url, { structured: 'schema' })(ask)).rejects.toMatchObject({ code: 'model-http' })
    expect(server.requests).toHaveLength(3)
  })
})

describe('a server that does not know a setting', () => {
  test('the name of the token limit is found out once', async () => {
    const refusal = { error: { message: "unknown field 'max_completion_tokens'" } }
    await using server = await serve({ status: 400, body: refusal })
    const model = modelAt(server.url)
    const ask = userRequest('Hi', { maxTokens: 50 })
    expect((await model(ask)).metadata?.['attempts']).toBe(2)
    await model(ask)
    expect(server.requests.map(({ body }) => [body['max_completion_tokens'], body['max_tokens']])).toEqual([
      [50, undefined],
      [undefined, 50],
      [undefined, 50],
    ])
  })

  test('a limit that was ignored is a warning, and has its other name from then on', async () => {
    await using server = await serve()
    const model = modelAt(server.url)
    const ask = userRequest('Hi', { maxTokens: scriptedUsage.outputTokens - 1 })
    expect((await model(ask)).metadata?.['warnings']).toEqual(['token-limit-ignored: max_completion_tokens'])
    await model(ask)
    expect(server.requests.map(({ body }) => Object.keys(body).filter((key) => key.startsWith('max')))).toEqual([
      ['max_completion_tokens'],
      ['max_tokens'],
    ])
  })

  test('log-probabilities are left out with a warning', async () => {
    await using server = await serve({ status: 400, body: { error: { message: 'logprobs are not available' } } })
    const { metadata } = await modelAt(server.url)(userRequest('Hi', { topLogprobs: 5 }))
    expect(metadata?.['warnings']).toEqual(['logprobs-unsupported'])
    expect(server.requests[1]?.body).not.toHaveProperty('logprobs')
  })
})

describe('failures', () => {
  const codeOf = (ask: Promise<unknown>) =>
    ask.then(
      () => 'answered',
      (thrown) => thrown.code,
    )

  test('what is no answer of the protocol', async () => {
    await using server = await serve(
      { body: 'not json' },
      { body: { choices: [] } },
      { body: { error: { message: 'upstream is down' } } },
      { body: { choices: [{ message: { content: 'Hel' }, finish_reason: 'error', error: { message: 'half way' } }] } },
      { text: 'x'.repeat(200) },
      { body: { choices: [{ message: { content: null, refusal: 'I will not' }, finish_reason: 'stop' }] } },
      { text: '', stop: 'content_filter' },
    )
    const model = modelAt(server.url)
    for (const reason of ['not JSON', 'no choice', 'upstream is down', 'half way'])
      await expect(model(userRequest('Hi'))).rejects.toMatchObject({
        code: 'model-response',
        message: expect.stringContaining(reason),
      })
    expect(await codeOf(modelAt(server.url, { maxResponseBytes: 100 })(userRequest('Hi')))).toBe('model-response')
    for (const reason of ['I will not', 'content_filter'])
      await expect(model(userRequest('Hi'))).rejects.toMatchObject({
        code: 'model-refused',
        message: expect.stringContaining(reason),
      })
    expect(server.requests).toHaveLength(7)
  })

  test('a status: the path, the beginning of the body, never the key', async () => {
    const echo = { error: { message: `wrong key sk-very-secret ${'x'.repeat(900)}` } }
    await using server = await serve({ status: 403, body: echo })
    const thrown = await modelAt(`${server.url}`, { headers: { 'x-team': 'blue team' } })(userRequest('Hi')).catch(
      (error) => error,
    )
    expect(thrown).toMatchObject({ code: 'model-http', status: 403, infrastructure: true })
    expect(thrown.message).toMatch(/^POST \/v1\/chat\/completions was answered with status 403: .*wrong key \*\*\*/)
    expect(thrown.message.length).toBeLessThan(600)
    expect(JSON.stringify([thrown, thrown.message, thrown.details])).not.toContain('sk-very-secret')
  })

  test('a key that comes back in a refusal, in facts, or written as JSON is blanked', async () => {
    const authorization = 'Bearer sk-very-secret'
    const choices = [{ message: { content: 'ok' }, finish_reason: 'stop' }]
    await using server = await serve(
      { body: { choices: [{ message: { refusal: `no, not with ${authorization}` }, finish_reason: 'stop' }] } },
      { body: { id: authorization, system_fingerprint: 'fp sk-very-secret', choices } },
      { status: 400, body: { error: 'wrong key ab"cd\\of-quotes' } },
    )
    const refused = modelAt(server.url)(userRequest('Hi'))
    await expect(refused).rejects.toThrow('The model refused to answer: no, not with ***.')
    const { metadata } = await modelAt(server.url)(userRequest('Hi'))
    expect(metadata).toMatchObject({ responseId: '***', systemFingerprint: 'fp ***' })
    const quoted = modelAt(server.url, { apiKey: 'ab"cd\\of-quotes' })(userRequest('Hi'))
    await expect(quoted).rejects.toThrow('{"error":"wrong key ***"}')
  })

  test('what the server asks to wait is waited, unless the time would be over', async () => {
    await using server = await serve(
      { status: 429, headers: { 'retry-after-ms': '60' } },
      { text: 'ok' },
      { status: 429, headers: { 'retry-after': '3600' } },
    )
    const model = modelAt(server.url, { timeoutMs: 600_000 })
    const start = performance.now()
    expect((await model(userRequest('Hi'))).metadata?.['attempts']).toBe(2)
    expect(performance.now() - start).toBeGreaterThanOrEqual(59)
    const thrown = await model(userRequest('Hi')).catch((error) => error)
    expect(thrown).toMatchObject({ code: 'model-http', status: 429, retryAfterMs: 3_600_000 })
    expect(server.requests).toHaveLength(3)
  })

  test('no server answers; the answer breaks off; a redirect', async () => {
    const gone = await scriptedServer(() => ({}))
    await gone[Symbol.asyncDispose]()
    const model = modelAt(gone.url, noWait)
    await expect(model(userRequest('Hi'))).rejects.toMatchObject({
      code: 'model-connection',
      infrastructure: true,
      message: expect.stringContaining('ECONNREFUSED'),
    })
    const unsure = { attempts: undefined, baseMs: 1, maxMs: undefined }
    await using busy = await scriptedServer(() => ({ status: 500 }))
    const trying = modelAt(busy.url, { retries: unsure, timeoutMs: 600_000 })
    await expect(trying(userRequest('Hi'))).rejects.toMatchObject({ code: 'model-http' })
    expect(busy.requests).toHaveLength(3)
    await using server = await serve(
      { cut: 'after-headers' },
      { text: 'x', cut: 'mid-stream' },
      { text: 'whole' },
      { status: 307, headers: { location: 'http://127.0.0.1:1/elsewhere' } },
    )
    expect((await modelAt(server.url, noWait)(userRequest('Hi'))).text).toBe('whole')
    await expect(modelAt(server.url)(userRequest('Hi'))).rejects.toMatchObject({ code: 'model-http', status: 307 })
    expect(server.requests).toHaveLength(4)
  })

  test('an abort cancels the body of a fetch that the caller passed', async () => {
    const cancelled: unknown[] = []
    const start = (controller: ReadableStreamDefaultController) => controller.enqueue(new TextEncoder().encode('{"'))
    const fetch = async () =>
      new Response(new ReadableStream({ start, cancel: (reason) => void cancelled.push(reason) }))
    const caller = new AbortController()
    setTimeout(() => caller.abort('enough'), 50)
    const model = modelAt('http://localhost', { fetch })
    await expect(model({ ...userRequest('Hi'), signal: caller.signal })).rejects.toMatchObject({ code: 'aborted' })
    expect(cancelled).toHaveLength(1)
  })

  test('time and abort', async () => {
    await using server = await scriptedServer(() => ({ text: 'late', delayMs: 5_000 }))
    const model = modelAt(server.url, { timeoutMs: 100 })
    await expect(model(userRequest('Hi'))).rejects.toMatchObject({ code: 'model-timeout', details: { timeoutMs: 100 } })
    await expect(model(userRequest('Hi', { timeoutMs: 50 }))).rejects.toMatchObject({ details: { timeoutMs: 50 } })
    const stop = new AbortController()
    setTimeout(() => stop.abort(new Error('enough')), 30)
    await expect(model(userRequest('Hi', { timeoutMs: 4_000 }, stop.signal))).rejects.toMatchObject({
      code: 'aborted',
      message: expect.stringContaining('enough'),
    })
    const before = server.requests.length
    await expect(model(userRequest('Hi', {}, AbortSignal.abort()))).rejects.toMatchObject({ code: 'aborted' })
    expect(server.requests).toHaveLength(before)
  })
})

describe('bad options', () => {
  test.each([
    [{ model: '' }, 'model'],
    [{ baseUrl: undefined }, 'baseUrl'],
    [{ baseUrl: 'localhost:1' }, 'baseUrl'],
    [{ baseUrl: 'http://user:password@localhost' }, 'baseUrl'],
    [{ retries: { attempts: 0 } }, 'retries'],
    [{ structured: 'xml' }, 'structured'],
    [{ prices: { m: { inputPerMillion: 1 } } }, 'prices'],
    [{ timeout: 1 }, 'timeout'],
  ])('%j', (options, option) => {
    const make = () => openAiCompatibleModel({ baseUrl: 'http://localhost', model: 'm', ...options } as never)
    expect(make).toThrow(expect.objectContaining({ code: 'option-invalid', details: { option } }))
  })

  test('a bad key is named and not shown', () => {
    const make = () => openAiCompatibleModel({ baseUrl: 'http://localhost', model: 'm', apiKey: 'sk-secret\n' })
    expect(make).toThrow(/"apiKey"/)
    expect(make).not.toThrow(/sk-secret/)
  })
})
