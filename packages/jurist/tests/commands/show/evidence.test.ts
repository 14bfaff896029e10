import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { treeOf } from '../../../../experiment/tests/report/markup-tree.js'
import { type Project, project } from '../../project.js'

const vitest = fileURLToPath(new URL('../../../../../node_modules/vitest/vitest.mjs', import.meta.url))

const files = {
  'before/package.json': '{ "name": "orders", "type": "module", "scripts": { "test": "node --test" } }',
  'before/src/orders.js': `export function page(orders, size, number) {
  return orders.slice(number * size, (number + 1) * size + 1)
}
`,
  'before/orders.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { page } from './src/orders.js'
test('finds both ends', () => assert.equal(page([1, 2, 3, 4], 2, 0).length, 2))
test('counts', () => assert.equal(page([1, 2, 3, 4], 2, 1).length, 2))
`,
  'before/specs/orders.spec.js': `import { expect, test } from 'vitest'
import { page } from '../src/orders.js'
test('finds both ends', () => {
  expect(page([1, 2, 3, 4], 2, 0)).toEqual([1, 2])
})
`,
  'before/hostile.js': `for (let line = 0; line < 40_000; line++) console.log('\\u001b[31mline\\u001b[39m ' + line)
console.log('</details>]]></system-out>\\n\`\`\`\\n::error::taken over\\n[[PROPERTY|outcome=pass]]\\u001b[2J')
console.error('TypeError: \\u001b[1m</summary> \`\`\`\\u001b[22m')
process.exitCode = 3
`,
  'jurist.config.mjs': `import { commandSucceeds, completed, defineConfig, jury, testsPass } from 'jurist'
import { correctness } from 'jurist/llm'
import { openAiCompatibleModel } from 'jurist/openai-compatible'
const agent = async ({ metadata }) => {
  if (metadata.itemId === 'thrower') explode()
  return completed('I wrote it.')
}
function explode() {
  throw new TypeError('cannot read the plan') // line 9
}
const model = openAiCompatibleModel({ baseUrl: process.env.MODEL_URL, model: 'scripted', apiKey: 'unused' })
const vitest = ['node', ${JSON.stringify(vitest)}, 'run', '--root', '.', 'specs']
const two = ['orders', 'paginate'].map((id) => ({ id, task: 'Mend it.', before: 'before' }))
const one = [{ id: 'orders', task: 'Mend it.', before: 'before' }]
export default defineConfig({ experiments: {
  tap: { dataset: two, agent, jury: jury({ judges: { tests: testsPass.npm() } }) },
  command: { dataset: one, agent, jury: jury({ judges: { tests: commandSucceeds('node --test --test-reporter=tap orders.test.js') } }) },
  vitest: { dataset: one, agent, jury: jury({ judges: { tests: commandSucceeds(vitest) } }) },
  model: { dataset: [{ id: 'poem', task: 'Write a poem.' }], agent, jury: jury({ judges: { meaning: correctness({ model }) } }) },
  thrower: { dataset: [{ id: 'thrower', task: 'Throw.' }], agent },
  hostile: { dataset: one, agent, jury: jury({ judges: { tests: commandSucceeds('node hostile.js') } }) },
} })
`,
}

describe('why a trial failed', () => {
  let made: Project
  let asked = ''
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text) => (asked += text))
    request.on('end', () => {
      const content = 'Reasoning: There is no poem, only a claim.\n\nAnswer: NO'
      const usage = { prompt_tokens: 210, completion_tokens: 12, total_tokens: 222 }
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({ model: 'scripted-1', choices: [{ message: { content }, finish_reason: 'stop' }], usage }),
      )
    })
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    made = project(files)
  })
  afterAll(() => {
    made[Symbol.dispose]()
    server.close()
  })
  const jurist = (...argv: readonly string[]) => {
    const { port } = server.address() as AddressInfo
    const summary = `${made.directory}/${argv[1]}.md`
    return made.juristWith({ MODEL_URL: `http://127.0.0.1:${port}/v1`, GITHUB_STEP_SUMMARY: summary }, ...argv)
  }
  const run = (experiment: string, ...more: readonly string[]) => jurist('run', experiment, ...more)
  const show = async (...words: readonly string[]) => (await jurist('show', ...words)).stdout
  const read = (name: string) => readFileSync(`${made.directory}/${name}`, 'utf8')

  test('a failing test is named with its message and place at the end of the run, once', async () => {
    const { stdout, stderr } = await run('tap')
    expect(stdout).toMatch(
      /\n {2}✗ 2 trials {2}fail {2}tests: exit code 1, expected 0; 1 of 2 tests failed \(finds both ends: .*3 !== 2.*\) at orders\.test\.js:\d+:\d+\n {6}orders#1, paginate#1\n/,
    )
    expect(stdout.match(/finds both ends/g)).toHaveLength(1)
    expect(stderr).not.toContain('finds both ends')
    expect(stdout).toMatch(/\n {2}See it: {7}jurist view \d{8}T\S+\n/)
    const shown = await show('tap', 'orders')
    expect(shown).toMatch(/\$ npm run test {3}exit code 1, [\d.]+ m?s\n/)
    expect(shown).toContain('not ok 1 - finds both ends')
    expect(shown).not.toContain('"report"')
    expect(await show('tap', 'orders', '--log')).toMatch(/Metadata\n[\s\S]*report: "tap"/)
    expect(shown).not.toContain(made.directory)
  })

  test('so it is where a plain command runs the tests, with Node.js or Vitest', async () => {
    expect((await run('command')).stdout).toMatch(
      /✗ orders#1 {2}fail {2}tests: exit code 1, expected 0: finds both ends: .*3 !== 2.* at orders\.test\.js:\d+:\d+\n/,
    )
    expect((await run('vitest')).stdout).toMatch(
      /✗ orders#1 {2}fail {2}tests: .*AssertionError: expected \[ 1, 2, 3 \] to deeply equal \[ 1, 2 \] at specs\/orders\.spec\.js:4:\d+\n/,
    )
    expect(await show('vitest', 'orders')).toMatch(
      / FAIL {2}specs\/orders\.spec\.js > finds both ends\n +AssertionError: /,
    )
  })

  test('a model judge gives its reasons; --log has its answer and what it was asked', async () => {
    expect((await run('model')).stdout).toContain('✗ poem#1  fail  meaning: There is no poem, only a claim.\n')
    const shown = await show('model', 'poem')
    expect(shown).toMatch(/Answer of scripted-1 {3}210 tokens in, 12 out[^\n]*\n +Reasoning: There is no poem/)
    expect(shown).not.toContain('Did the agent meet the goal?')
    const log = await show('model', 'poem', '--log')
    expect(log).toMatch(
      /Prompt\n +\[system\]\n[\s\S]*Did the agent meet the goal\?[\s\S]*Write a poem\.[\s\S]*I wrote it\./,
    )
    expect(asked).toContain('Did the agent meet the goal?')
  })

  test('an agent that throws leaves the line of the config', async () => {
    expect((await run('thrower')).stdout).toContain('E thrower#1  error  cannot read the plan at jurist.config.mjs:9:')
    expect(await show('thrower', 'thrower')).toMatch(
      /Failure of agent: cannot read the plan\n +at explode \(jurist\.config\.mjs:9:\d+\)\n +at agent \(jurist\.config\.mjs:5:\d+\)\n/,
    )
  })

  test('an output that wants to be more than text is text in every report, and short', async () => {
    const { stdout } = await run('hostile', '--reporter', 'github', '-o', 'junit.xml', '-o', 'report.md')
    const shown = [stdout, await show('hostile', 'orders'), await show('hostile', 'orders', '--log')]
    for (const text of shown) {
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
      expect(text).toContain('TypeError: </summary> ```')
      expect(text.length).toBeLessThan(20_000)
    }
    const [suite] = treeOf(read('junit.xml')).children
    const output = suite?.children
      .find(({ name }) => name === 'testcase')
      ?.children.find(({ name }) => name === 'system-out')
    expect(output?.text).toContain('tests: $ node hostile.js   exit code 3')
    expect(output?.text).toContain('</details>]]></system-out>')
    expect(output?.text.match(/\[\[PROPERTY\|outcome=/g)).toHaveLength(1)
    for (const text of [read('hostile.md'), read('report.md')]) {
      expect(text).toContain('tests: \\$ node hostile.js   exit code 3')
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/)
      // What it printed is inside a block of code whose fence it cannot close.
      const [, fence = '', inside = ''] = /\n(`{4,})text\n([\s\S]*?)\n\1\n/.exec(text) ?? []
      expect(fence.length).toBeGreaterThan(3)
      expect(inside).toContain('TypeError: </summary> ```')
    }
    expect(read('hostile.md')).toMatch(/^## ❌ hostile: 0 of 1 passed, 0\.0 %\n/)
  })
})
