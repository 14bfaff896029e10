import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { expect, test } from 'vitest'
import { describedJudge } from '../src/config/described-judge.js'
import { collectIssues } from '../src/config/problems.js'

async function read(description: unknown) {
  const { issues, report } = collectIssues()
  const judge = await describedJudge(description, [], { directory: '/nowhere', report, juries: {} })
  return { judge, problems: issues.map(({ problem }) => problem).join('\n') }
}

const alike = { type: 'similar-to', by: 'embedding', threshold: 0.9 }

test('vectors come from the server that a config describes', async () => {
  const server = createServer((request, response) => {
    request.resume()
    const data = [0, 1].map((index) => ({ index, embedding: [1, 1] }))
    response.end(JSON.stringify({ data, usage: { prompt_tokens: 1_000 } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    const prices = { inputUsdPerMillion: 20, outputUsdPerMillion: 0, asOf: '2026-11-01' }
    const embed = { provider: 'openai-compatible', model: 'tiny', baseUrl, prices }
    const { judge, problems } = await read({ ...alike, embed })
    expect(problems).toBe('')
    const context = aContext({ agentOutput: 'Hi', expectedOutput: 'Hello' })
    expect(judge && (await runJudge(judge, context))).toMatchObject({
      status: 'pass',
      costUsd: expect.closeTo(0.02, 9),
    })
  } finally {
    server.close()
  }
})

const local = { provider: 'openai-compatible', model: 'tiny', baseUrl: 'http://127.0.0.1:1/v1' }

test.each<readonly [object, RegExp]>([
  [alike, /"embedding" needs "embed"/],
  [{ ...alike, embed: 'tiny' }, /"embed" must describe a model \(got "tiny"\)/],
  [{ ...alike, embed: { provider: 'openai-compatible', model: 'tiny' } }, /baseUrl is missing/],
  [{ ...alike, embed: { ...local, provider: 'anthropic', apiKeyEnv: 'KEY' } }, /the provider "openai-compatible"/],
  [{ ...alike, embed: { ...local, options: { temperature: 0 } } }, /no "options"/],
  [{ type: 'similar-to', by: 'rouge-l' }, /"threshold" must be a number from 0 to 1/],
  [{ type: 'output-json', schema: 'nowhere.json' }, /nowhere\.json: there is no such file/],
  [{ type: 'output-json', schema: { type: 'strng' } }, /Not a JSON Schema at #\/type/],
  [{ type: 'matches-expected', by: 'exact' }, /"by" must be one of "text"/],
  [{ type: 'within' }, /give at least one limit/],
])('%j is refused', async (description, message) => {
  const { judge, problems } = await read(description)
  expect(judge).toBeUndefined()
  expect(problems).toMatch(message)
})
