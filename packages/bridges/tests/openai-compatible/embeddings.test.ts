import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openAiCompatibleEmbeddings } from '@jurist/bridges/openai-compatible'
import { runJudge } from '@jurist/core'
import { similarTo } from '@jurist/core/answers'
import { aContext } from '@jurist/core/testing'
import { expect, test } from 'vitest'

interface Sent {
  readonly url: string | undefined
  readonly key: string | undefined
  readonly body: unknown
}

/** A server on loopback that answers every request alike. */
async function serve(answer: unknown, status = 200) {
  const requests: Sent[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    requests.push({ url: request.url, key: request.headers.authorization, body })
    response.writeHead(status).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

const vectors = {
  data: [
    { index: 1, embedding: [0, 1] },
    { index: 0, embedding: [1, 1] },
  ],
}
const signal = new AbortController().signal
const noWait = { retries: { attempts: 1 } }

test('asks the route /embeddings, and takes the vectors in the order of their texts', async () => {
  await using server = await serve({ ...vectors, usage: { prompt_tokens: 7, total_tokens: 7 } })
  const prices = { '*': { inputPerMillion: 100, outputPerMillion: 0 } }
  const embed = openAiCompatibleEmbeddings({ baseUrl: server.url, model: 'tiny', apiKey: 'sk-secret', prices })
  expect(await embed(['a', 'b'], signal)).toEqual({
    vectors: [
      [1, 1],
      [0, 1],
    ],
    usage: { inputTokens: 7 },
    costUsd: expect.closeTo(0.0007, 12),
  })
  expect(server.requests).toEqual([
    {
      url: '/v1/embeddings',
      key: 'Bearer sk-secret',
      body: { model: 'tiny', input: ['a', 'b'], encoding_format: 'float' },
    },
  ])
})

test('a judgment has what the vectors cost', async () => {
  await using server = await serve({ ...vectors, usage: { prompt_tokens: 7, cost: 0.5 } })
  const embed = openAiCompatibleEmbeddings({ baseUrl: server.url, model: 'tiny' })
  const context = aContext({ agentOutput: 'a', expectedOutput: 'b' })
  expect(await runJudge(similarTo({ by: 'embedding', threshold: 0.7, embed }), context)).toMatchObject({
    status: 'pass',
    costUsd: 0.5,
    usage: { inputTokens: 7 },
  })
})

test.each<readonly [string, unknown, number, string]>([
  ['one vector too few', { data: [{ index: 0, embedding: [1] }] }, 200, 'model-response'],
  ['one index twice', { data: [vectors.data[0], vectors.data[0]] }, 200, 'model-response'],
  ['no vectors', { data: [{ index: 0, embedding: 'AAAA' }, { index: 1 }] }, 200, 'model-response'],
  ['nothing', null, 200, 'model-response'],
  ['a refusal', { error: { message: 'too long for sk-secret' } }, 400, 'model-http'],
])('%s is an error of the model', async (_, answer, status, code) => {
  await using server = await serve(answer, status)
  const embed = openAiCompatibleEmbeddings({ baseUrl: server.url, model: 'tiny', apiKey: 'sk-secret', ...noWait })
  const failed = embed(['a', 'b'], signal)
  await expect(failed).rejects.toMatchObject({ code })
  await expect(failed).rejects.not.toThrow('sk-secret')
})

test('refuses options as the models do', () => {
  expect(() => openAiCompatibleEmbeddings({ model: 'tiny' })).toThrow(/"baseUrl" is missing/)
  expect(() => openAiCompatibleEmbeddings({ baseUrl: 'ftp://x', model: 'tiny' })).toThrow(/http:\/\//)
})
