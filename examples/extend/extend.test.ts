import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { runExperiment } from 'jurist'
import { aContext, agentContract, judgeContract, memoryWorkspace, voteContract } from 'jurist/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../tests/structure/source.js'
import { readmeService } from './agent.js'
import { noTodo } from './judge.js'
import config from './jurist.config.js'
import { lineReporter } from './reporter.js'
import { veto } from './vote.js'

/** The service of the example: a long text has a TODO, and an outage is an outage. */
const server = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  response.statusCode = body.includes('outage') ? 503 : 200
  response.end(JSON.stringify({ text: body.includes('long') ? '# A\n\nTODO' : '# A\n', costUsd: 0.01 }))
})
const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise((resolve) => server.close(resolve)))

judgeContract({ describe, test }, 'noTodo', {
  judge: noTodo('a.js'),
  passing: aContext({ workspace: memoryWorkspace({ 'a.js': 'done()' }) }),
  failing: aContext({ workspace: memoryWorkspace({ 'a.js': '// TODO' }) }),
})
voteContract({ describe, test }, 'veto', () => veto('j1'))
agentContract({ describe, test }, 'readmeService', {
  agent: (task) => readmeService(url())(task),
  task: async () => ({
    prompt: 'Write a short README.',
    workspace: memoryWorkspace({}),
    signal: new AbortController().signal,
  }),
})

test('the config puts them together', async () => {
  const make = config.experiments?.['readmes']
  if (typeof make !== 'function') throw new Error('the experiment is a function')
  const lines: string[] = []
  const options = { ...(await make()), name: 'readmes', agent: readmeService(url()), concurrency: 1 }
  const { items, conditions } = await runExperiment(options, { onEvent: lineReporter((line) => lines.push(line)) })
    .result
  expect(items.map(({ itemId, passed }) => [itemId, passed])).toEqual([
    ['short', true],
    ['long', false],
  ])
  expect(lines).toEqual(['short: passed, $0.01', 'long: failed, $0.01', '1 of 2 passed'])
  expect(conditions).toMatchObject({ isolation: 'none' })
})

test('an outage of the service decides nothing', async () => {
  const dataset = [{ id: 'a', task: 'outage' }]
  const options = { name: 'readmes', dataset, agent: readmeService(url()), retries: { attempts: 1 } }
  expect((await runExperiment(options).result).items[0]).toMatchObject({
    passed: null,
    failure: { infrastructure: true },
  })
})

test('the guide shows every file of the example, word for word', () => {
  const guide = readFileSync(join(root, 'docs/guide/extending.md'), 'utf8')
  const files = readdirSync(join(root, 'examples/extend')).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
  expect(files).toHaveLength(7)
  for (const file of files)
    expect(guide).toContain(`\n${readFileSync(join(root, 'examples/extend', file), 'utf8').trim()}\n\`\`\``)
})
