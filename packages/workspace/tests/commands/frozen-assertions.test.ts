import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { bubblewrapSandbox, copyOf, type Sandbox } from '@jurist/workspace'
import { testsPass } from '@jurist/workspace/commands'
import { type TemporaryFile, temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'

const sandbox = bubblewrapSandbox({ readable: [dirname(dirname(process.execPath))] })
const hasBubblewrap = await sandbox.probe().then(
  () => true,
  () => false,
)

type Files = { readonly [path: string]: TemporaryFile }
interface Scene {
  readonly tests: Files
  readonly options?: readonly string[]
  readonly sandbox?: Sandbox
}

async function judged(agent: Files, { tests, options = [], sandbox }: Scene) {
  await using origin = await temporaryWorkspace(agent)
  await using workspace = await copyOf(origin.root, sandbox === undefined ? {} : { sandbox })
  await using reference = await temporaryWorkspace(tests)
  const command = [process.execPath, ...options, '--test', ...Object.keys(tests)]
  const judge = testsPass.command(command, { overlay: { paths: ['tests'] } })
  const { status, reasoning } = await runJudge(judge, aContext({ workspace, reference }))
  return { status, reasoning, left: readdirSync(workspace.root) }
}

const modern = {
  'tests/a.test.mjs': `import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { sum } from '../src/sum.mjs'
test('adds', (t) => {
  t.mock.method(console, 'log', () => {})
  const seen = mock.fn(() => sum(1, 2))
  assert.equal(seen(), 3)
  assert.throws(() => assert.equal(1, 2), (error) => { error.message = 'mine'; return error.message === 'mine' })
})
`,
}
const common = {
  'tests/a.test.cjs': `const { sum } = require('../src/sum.cjs')
const assert = require('assert')
const { it } = require('node:test')
it('adds', () => assert.deepEqual(sum(1, 2), 3))
`,
}
const replacing = (names: string) => `const replaced = () => {}
for (const name of Object.keys(${names}))
  try { ${names}[name] = replaced } catch {}
  finally { try { Object.defineProperty(${names}, name, { value: replaced }) } catch {} }
`
const builtin = `import { createRequire, syncBuiltinESMExports } from 'node:module'
const require = createRequire(import.meta.url)
`

describe('assertions of Node', () => {
  test.each([
    ['node:assert', "const assert = require('node:assert')", replacing('assert')],
    ['node:assert/strict', "const { strict } = require('assert')", replacing('strict')],
  ])('are not replaced by code under test: %s', async (name, required, replaces) => {
    const cheat = `${builtin}${required}\n${replaces}syncBuiltinESMExports()\n`
    const text = modern['tests/a.test.mjs']
    const tests = { 'tests/a.test.mjs': name === 'node:assert' ? text.replace('assert/strict', 'assert') : text }
    const source = (sum: string) => ({ 'src/sum.mjs': `${cheat}export const sum = (a, b) => ${sum}\n` })
    expect(await judged(source('a - b'), { tests })).toMatchObject({ status: 'fail' })
    expect(await judged(source('a + b'), { tests })).toMatchObject({ status: 'pass' })
  })
  test.each([
    ['assert', `const assert = require('assert')\n${replacing('assert')}`],
    [
      'node:test',
      "const runner = require('node:test')\nconst { it } = runner\nrunner.it = (name) => it(name, () => {})\n",
    ],
  ])('are not replaced for CommonJS, and nothing stays in the workspace: %s', async (_, cheat) => {
    const source = (sum: string) => ({ 'src/sum.cjs': `${cheat}exports.sum = (a, b) => ${sum}\n` })
    expect(await judged(source('a - b'), { tests: common })).toMatchObject({ status: 'fail' })
    expect(await judged(source('a + b'), { tests: common })).toMatchObject({ status: 'pass', left: ['src'] })
  })
  test('are frozen without disturbing what a project registers for its own extensions', async () => {
    const hook = "require.extensions['.ts'] = (module, file) => module._compile('exports.sum = (a, b) => a + b', file)"
    const tests = { 'tests/a.test.cjs': common['tests/a.test.cjs'].replace('sum.cjs', 'sum.ts') }
    const options = ['--require=./hook.cjs']
    const agent = { 'hook.cjs': hook, 'src/sum.ts': 'export const sum = (a: number, b: number) => a + b\n' }
    expect(await judged(agent, { tests, options })).toMatchObject({ status: 'pass' })
  })
  test.skipIf(!hasBubblewrap)('are frozen in a sandbox (needs bubblewrap)', async () => {
    const cheat = `${builtin}const { strict } = require('node:assert')\n${replacing('strict')}syncBuiltinESMExports()\n`
    const source = (sum: string) => ({ 'src/sum.mjs': `${cheat}export const sum = (a, b) => ${sum}\n` })
    expect(await judged(source('a - b'), { tests: modern, sandbox })).toMatchObject({ status: 'fail' })
    expect(await judged(source('a + b'), { tests: modern, sandbox })).toMatchObject({ status: 'pass' })
  })
})
