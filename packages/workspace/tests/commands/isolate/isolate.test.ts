import { once } from 'node:events'
import { createServer } from 'node:net'
import { runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { type TestOptions, testsPass } from '@jurist/workspace/commands'
import { type TemporaryFile, temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'

type Files = { readonly [path: string]: TemporaryFile }

const testsOfSum = {
  'tests/sum.test.mjs': `import test from 'node:test'
import assert from 'node:assert'
import { sum } from '../src/sum.mjs'
test('adds', () => assert.equal(sum(1, 2), 3))
test('adds others', () => assert.deepEqual([sum(2, 2), sum(-1, 1)], [4, 0]))
`,
}

interface Scene {
  readonly work: Files
  readonly tests?: Files
  readonly reference?: Files
  readonly options?: TestOptions
}

async function judged({ work, tests = testsOfSum, reference = {}, options }: Scene) {
  await using workspace = await temporaryWorkspace(work)
  await using solution = await temporaryWorkspace({ ...reference, ...tests })
  const files = Object.keys(tests).filter((path) => path.includes('.test.'))
  const judge = testsPass.command([process.execPath, '--test', ...files], {
    overlay: { paths: ['tests'] },
    isolate: 'child',
    ...options,
  })
  return await runJudge(judge, aContext({ workspace, reference: solution }))
}

const right = 'export const sum = (a, b) => a + b\n'
const ofSum = (code: string) => judged({ work: { 'src/sum.mjs': code }, reference: { 'src/sum.mjs': right } })

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const address = server.address()
  await new Promise((done) => server.close(done))
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

describe('code in a separate process', () => {
  test('passes when it is right, and fails when it is wrong', async () => {
    expect(await ofSum(right)).toMatchObject({
      status: 'pass',
      reasoning: '2 of 2 tests passed',
      metadata: { isolated: 'child' },
    })
    expect(await ofSum('export const sum = (a, b) => a - b\n')).toMatchObject({
      status: 'fail',
      reasoning: expect.stringContaining('2 of 2 tests failed'),
    })
  })
  test('passes when its modules keep a port and leave something running', async () => {
    const server = "await import('node:net').then(({ createServer }) => createServer())"
    const listens = `await new Promise((done, failed) => server.on('error', failed).listen(${await freePort()}, done))`
    const work = { 'src/sum.mjs': `${right}const server = ${server}\n${listens}\nsetInterval(() => {}, 1_000)\n` }
    expect(await judged({ work })).toMatchObject({ status: 'pass' })
  })
  test.each([
    [
      'replaces assertions, runner and language',
      `import assert from 'node:assert'
import test from 'node:test'
import { syncBuiltinESMExports } from 'node:module'
for (const name of Object.keys(assert)) if (typeof assert[name] === 'function') assert[name] = () => {}
test.test = () => {}
syncBuiltinESMExports()
Array.prototype.at = Array.prototype.push = Object.is = () => true
export const sum = () => 0\n`,
    ],
    ['ends the process when it is loaded', 'process.exit(0)\nexport const sum = 1\n'],
    [
      'prints a report and ends the process in a call',
      `import { writeSync } from 'node:fs'
const report = 'TAP version 13\\nok 1 - adds\\nok 2 - adds others\\n1..2\\n'
export const sum = () => { writeSync(1, report); process.reallyExit(0) }\n`,
    ],
    [
      'reads the tests',
      `import { readFileSync } from 'node:fs'
const wanted = [...readFileSync('tests/sum.test.mjs', 'utf8').matchAll(/, (\\d)\\)\\)/g)].map(([, digit]) => Number(digit))
export const sum = () => wanted.shift() ?? 4\n`,
    ],
    [
      'reads its caller',
      `export function sum() {
  try { return Number(/, (\\d)\\)/.exec(String(sum.caller))[1]) } catch {}
  return /sum\\.test/.test(new Error().stack) ? 3 : 0
}\n`,
    ],
    ['gives what is equal to everything', 'export const sum = () => ({ valueOf: () => 3, toString: () => "3" })\n'],
    ['exports a class instead of a function', 'export class sum { valueOf() { return 3 } }\n'],
    [
      'changes the programs that connect it',
      `import { readdirSync, writeFileSync } from 'node:fs'
for (const name of readdirSync('.jurist-code')) if (/client|values/.test(name)) writeFileSync('.jurist-code/' + name, '')
export const sum = () => 0\n`,
    ],
  ])('holds when it %s', async (_, code) => {
    expect(await ofSum(code)).toMatchObject({ status: 'fail' })
  })
  test('fails when it does not end, or uses up its memory', async () => {
    const endless = 'export const sum = () => { for (const all = [];;) all.push(new Array(1e5).fill(1)) }\n'
    const small = { env: { NODE_OPTIONS: '--max-old-space-size=32' } }
    expect(await judged({ work: { 'src/sum.mjs': endless }, options: small })).toMatchObject({
      status: 'fail',
      checks: expect.arrayContaining([
        expect.objectContaining({ message: expect.stringContaining('the code under test ended (SIGABRT)') }),
      ]),
    })
    const hanging = 'export const sum = () => { for (;;); }\n'
    expect(await judged({ work: { 'src/sum.mjs': hanging }, options: { cpuMs: 1_000 } })).toMatchObject({
      status: 'fail',
    })
  })
})

const tests = {
  'tests/all.test.mjs': `import test from 'node:test'
import assert from 'node:assert/strict'
import { list, Missing, Stack, later, limit, same, same as again, wrong } from '../src/all.mjs'
import common, { double } from '../src/common.cjs'
test('values', () => {
  const values = [undefined, null, NaN, -0, 10n, 'a', [1, , 3], { $: 1, __proto__: null }, new Date(0), /a/g,
    new Map([[{ a: 1 }, new Set([1])]]), new Uint8Array([1]), Buffer.from('a'), JSON.parse('{"__proto__": 1}')]
  for (const value of values) assert.deepEqual(same(value), value)
  assert.deepEqual(limit, { of: [1, 2] })
  assert.equal(again(3), 3)
  assert.equal(common.double(2), 4)
  assert.equal(double(2), 4)
})
test('arguments that change', () => {
  const values = [3, 1, 2]
  assert.equal(list.sorted(values), values)
  assert.deepEqual(values, [1, 2, 3])
})
test('errors', () => {
  assert.throws(() => wrong('type'), { name: 'TypeError', message: 'no type', code: 'E_NO' })
  assert.throws(() => wrong('type'), TypeError)
  assert.throws(() => wrong('missing'), (error) => error instanceof Missing && error instanceof Error && error.key === 'k')
})
test('async functions', async () => {
  assert.deepEqual(await Promise.all([later(20), later(1)]), [20, 1])
  await assert.rejects(later(-1), RangeError)
})
test('objects of classes', () => {
  const stack = new Stack([1])
  assert.equal(stack.push(2).push(3).size, 3)
  assert.equal(stack.size, 3)
  assert.equal(stack.pop(), 3)
  assert.ok(stack instanceof Stack)
  assert.equal(Stack.of(1, 2), 2)
})
`,
}
const all = {
  'src/all.mjs': `export const limit = { of: [1, 2] }
export const same = (value) => value
export const list = { sorted: (values) => values.sort() }
export class Missing extends Error { constructor(key) { super('missing ' + key); this.key = key } }
export function wrong(kind) {
  if (kind === 'missing') throw new Missing('k')
  throw Object.assign(new TypeError('no ' + kind), { code: 'E_NO' })
}
export async function later(ms) {
  if (ms < 0) throw new RangeError('too early')
  return new Promise((resolve) => setTimeout(resolve, ms, ms))
}
export class Stack {
  #values
  constructor(values) { this.#values = [...values] }
  static of(...values) { return values.length }
  get size() { return this.#values.length }
  push(value) { this.#values.push(value); return this }
  pop() { return this.#values.pop() }
}
`,
  'src/common.cjs': 'exports.double = (x) => 2 * x\n',
}

describe('tests of isolated code', () => {
  test('get values, errors, promises and objects of classes', async () => {
    expect(await judged({ work: all, tests })).toMatchObject({ status: 'pass', metadata: { passed: 5, failed: 0 } })
  })
  test.each([
    ['expects an error of a function', 'assert.throws(() => apply(() => 1))', 'an argument that is or has a function'],
    ['gets a function', 'assert.equal(make()(), 1)', 'what src/a.mjs make gives: a function'],
    ['compares objects', 'assert.deepEqual(new Thing(), new Thing())', 'a comparison or a listing'],
  ])('are an error where a test %s', async (_, line, reason) => {
    const code = `export const apply = (f) => f()
export const make = () => () => 1
export class Thing {}
`
    const test = `import test from 'node:test'
import assert from 'node:assert'
import { apply, make, Thing } from '../src/a.mjs'
test('a', () => { ${line} })\n`
    const scene = { work: { 'src/a.mjs': code }, tests: { 'tests/a.test.mjs': test } }
    const judgment = await judged({ ...scene, reference: { 'src/a.mjs': code } })
    expect(judgment).toMatchObject({ status: 'error', failure: { code: 'not-isolatable' } })
    expect(judgment.reasoning).toContain(reason)
  })
  test('need an overlay, and a language that can be isolated', async () => {
    expect(() => testsPass.npm('test', { isolate: 'child' })).toThrow(
      expect.objectContaining({ code: 'option-invalid', message: expect.stringContaining('"overlay"') }),
    )
    expect(await judged({ work: {}, tests: { 'tests/a.sh': '' } })).toMatchObject({
      status: 'error',
      failure: { code: 'not-isolatable' },
    })
  })
  test('meet nothing else of the agent that could run', async () => {
    const listing = `import test from 'node:test'
import { readdirSync } from 'node:fs'
test('a', () => { throw new Error(readdirSync('.', { recursive: true }).filter((path) => !path.startsWith('.jurist')).sort().join()) })\n`
    const work = {
      'src/a.node': '',
      'run.sh': 'mine',
      'kept.sh': 'given',
      'data.json': '{}',
      'src/b.mjs': 'process.exit(0)',
      packages: { link: 'src' },
      'node_modules/evil/index.js': '',
    }
    const judgment = await judged({
      work,
      tests: { 'tests/a.test.mjs': listing },
      reference: { 'kept.sh': 'given', 'run.sh': 'given', 'package.json': '{}' },
    })
    expect(JSON.stringify(judgment.checks)).toContain('failed: kept.sh,tests,tests/a.test.mjs"')
  })
})
