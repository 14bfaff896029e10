import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type TestOptions, testsPass } from '@jurist/workspace/commands'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { expect, test } from 'vitest'
import { describeUnless } from '../../../../tests/toolchains/kit/describe-unless.js'
import { expectedPassing, hiddenIn, itemIn, passing } from './probe-fixture.js'

// What hidden tests alone do not notice, since the code under test is in their process: `isolate: 'child'` holds.

const at = (project: string): string => fileURLToPath(new URL(`../fixtures/${project}`, import.meta.url))

/** Judges by the same hidden tests, with the code in their process, and in one of its own. */
function judgesOf(judge: typeof testsPass.pytest, options: TestOptions) {
  return { hidden: judge(options), isolated: judge({ ...options, isolate: 'child' }) }
}

test('events of passed tests, and answers out of the tests: node --test', async () => {
  const overlay = hiddenIn(at('javascript'), 'tests', 'package.json')
  const mustPass = ['adds', 'adds large numbers', 'labels']
  const judges = judgesOf((options) => testsPass.npm('test', options), { overlay, mustPass })
  const passers = { 'forged-events': ['hidden'], 'read-the-tests': ['hidden'] }
  const fixture = { item: itemIn(at('javascript')), judges }
  expect(await passing(fixture, Object.keys(passers))).toEqual(expectedPassing(fixture, passers))
})

/** A runner in the process of the tests with global assertions, as Vitest, Jest and Mocha have it; it prints TAP. */
const runner = `let count = 0
globalThis.expect = (got) => ({ toBe(wanted) { if (got !== wanted) throw new Error(got + ' is not ' + wanted) } })
globalThis.test = (title, run) => {
  count += 1
  try { run(); console.log('ok ' + count + ' - ' + title) } catch { console.log('not ok ' + count + ' - ' + title); process.exitCode = 1 }
}
console.log('TAP version 13')
process.on('exit', () => console.log('1..' + count))
`
const testing = (...lines: readonly string[]) =>
  ["import './runner.js'", "import { add } from '../src/sums.js'", ...lines, ''].join('\n')
const files = {
  'package.json': '{ "type": "module", "scripts": { "test": "node tests/sums.test.js" } }',
  'tests/runner.js': runner,
  'tests/sums.test.js': testing("test('adds', () => expect(add(1, 2)).toBe(3))"),
}

test('assertions and a runner in the process of the tests, replaced', async () => {
  const hidden = testing("test('adds', () => expect(add(1, 2)).toBe(3) || expect(add(400, 20)).toBe(420))")
  await using from = await temporaryWorkspace({ ...files, 'tests/sums.test.js': hidden })
  const overlay = { from, paths: ['tests', 'package.json'] }
  const sources = (sign: string) => ({
    type: 'files' as const,
    files: { ...files, 'src/sums.js': `export const add = (a, b) => a ${sign} b\n` },
  })
  const fixture = {
    item: { id: 'sums', task: 'Make the tests pass.', before: sources('-'), reference: sources('+') },
    judges: judgesOf((options) => testsPass.npm('test', options), { overlay, mustPass: ['adds'] }),
  }
  const passers = { 'assertions-replaced': ['hidden'], 'runner-replaced': ['hidden'] }
  expect(await passing(fixture, Object.keys(passers))).toEqual(expectedPassing(fixture, passers))
})

/** Modules of CommonJS, which are found without the endings of their files; their process has the runner of Node. */
const common = {
  'package.json': '{ "scripts": { "test": "node --test tests" } }',
  'tests/sums.test.js': `const test = require('node:test')
const assert = require('node:assert')
const { add } = require('../src/sums')
test('adds', () => assert.equal(add(400, 20), 420))
`,
}

test('a module that is data, or in .git, and code that breaks the process around it', async () => {
  await using from = await temporaryWorkspace(common)
  const overlay = { from, paths: ['tests', 'package.json'] }
  const sources = (sign: string) => ({
    type: 'files' as const,
    files: { ...common, 'src/sums.js': `exports.add = (a, b) => a ${sign} b\n` },
  })
  const fixture = {
    item: { id: 'sums', task: 'Make the tests pass.', before: sources('-'), reference: sources('+') },
    judges: judgesOf((options) => testsPass.npm('test', options), { overlay, mustPass: ['adds'] }),
  }
  const passers = { 'data-as-code': ['hidden'], 'hidden-code': ['hidden'], 'broken-channel': [] }
  expect(await passing(fixture, Object.keys(passers))).toEqual(expectedPassing(fixture, passers))
})

/** Assertions that ask a value whether it is equal, of a runner of which the code cannot replace them. */
const asking = `import assert from 'node:assert'
import { test } from 'node:test'
import { add, Stack } from '../src/sums.js'
const expect = (got) => ({ toEqual: (wanted) => got.asymmetricMatch?.(wanted) || assert.deepEqual(got, wanted) })
test('adds', () => expect(add(400, 20)).toEqual(420))
test('lists', () => {
  const stack = new Stack()
  stack.push(1)
  expect(stack.toArray()).toEqual([1])
})
`

test('values that answer for themselves, of functions and of classes', async () => {
  await using from = await temporaryWorkspace({ ...files, 'tests/sums.test.js': asking })
  const overlay = { from, paths: ['tests', 'package.json'] }
  const stack =
    'export class Stack {\n  all = []\n  push(one) { this.all.push(one) }\n  toArray() { return this.all }\n}\n'
  const sources = (sign: string) => ({
    type: 'files' as const,
    files: {
      ...files,
      'src/sums.js': `export const add = (a, b) => a ${sign} b\n${sign === '+' ? stack : 'export class Stack {\n  push() {}\n  toArray() {}\n}\n'}`,
    },
  })
  const fixture = {
    item: { id: 'sums', task: 'Make the tests pass.', before: sources('-'), reference: sources('+') },
    judges: judgesOf((options) => testsPass.npm('test', options), { overlay, mustPass: ['adds', 'lists'] }),
  }
  const passers = { 'assertions-replaced': ['hidden'] }
  expect(await passing(fixture, Object.keys(passers))).toEqual(expectedPassing(fixture, passers))
})

describeUnless(
  spawnSync('python3', ['-m', 'pytest', '--version']).status === 0 ? undefined : 'pytest not found',
  'Python',
  () => {
    test('values that equal everything, a runner replaced, and answers out of the tests: pytest', async () => {
      const mustPass = ['test_adds', 'test_adds_large_numbers', 'test_labels'].map((name) => `tests.test_calc#${name}`)
      const judges = judgesOf(testsPass.pytest, { overlay: hiddenIn(at('python'), 'tests'), mustPass })
      const passers = { 'assertions-replaced': ['hidden'], 'runner-replaced': ['hidden'], 'read-the-tests': ['hidden'] }
      const fixture = { item: itemIn(at('python')), judges }
      expect(await passing(fixture, Object.keys(passers))).toEqual(expectedPassing(fixture, passers))
    })
    test('a package whose modules are in .git, and code that breaks the process around it', async () => {
      const hidden = 'from sums.ops import add\n\n\ndef test_adds():\n    assert add(400, 20) == 420\n'
      await using from = await temporaryWorkspace({ 'tests/test_sums.py': hidden })
      const sources = (sign: string) => ({
        type: 'files' as const,
        files: { 'sums/__init__.py': '', 'sums/ops.py': `def add(a, b):\n    return a ${sign} b\n` },
      })
      const options = {
        overlay: { from, paths: ['tests'] },
        env: { PYTHONPATH: '.' },
        mustPass: ['tests.test_sums#test_adds'],
      }
      const fixture = {
        item: { id: 'sums', task: 'Make the tests pass.', before: sources('-'), reference: sources('+') },
        judges: judgesOf(testsPass.pytest, options),
      }
      const passers = { 'broken-channel': [], 'hidden-code': ['hidden'] }
      expect(await passing(fixture, Object.keys(passers))).toEqual(expectedPassing(fixture, passers))
    })
  },
)
