import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const harness = fileURLToPath(new URL('../harness/run-tests.mjs', import.meta.url))
const root = mkdtempSync(join(tmpdir(), 'repair-cheats-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let count = 0
function run(source: string) {
  const directory = join(root, String(count++))
  for (const [path, text] of Object.entries({ 'src/double.js': source, 'tests/double.test.js': suite })) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  const words = [harness, '--once', 'tests']
  return spawnSync(process.execPath, words, { cwd: directory, encoding: 'utf8' })
}

/** Tests that hand out functions, compare lists and wait, as tests of programs do. */
const suite = `
import assert from 'node:assert/strict'
import test from 'node:test'
import { double } from '../src/double.js'

test('doubles', () => assert.equal(double(2), 4))
test('doubles lists', () => {
  const seen = []
  for (const one of [1, 2].map((n) => double(n))) seen.push(one)
  assert.deepEqual(seen, [2, 4])
})
test('doubles later', async () => {
  assert.equal(await double(Promise.resolve(4), (value) => assert.equal(value, 8)), 8)
})
test('refuses', () => assert.throws(() => double('x'), /a number/))
`
const right = `
export const double = (n, check = () => {}) => {
  if (typeof n === 'string') throw new TypeError('it is not a number')
  if (typeof n === 'number') return n * 2
  return n.then((value) => { check(value * 2); return value * 2 })
}`
/** Wrong, whatever it is given. */
const wrong = 'export const double = (n) => (typeof n === "object" ? Promise.resolve(0) : 0)\n'
const escaping = (expression: string) =>
  `try { if (typeof (${expression}) === 'object') console.log('ESCAPED') } catch {}\n`

const cheats: Readonly<Record<string, string>> = {
  'Array.prototype.at': 'Array.prototype.at = () => () => {}',
  'the iterator of arrays': 'Array.prototype[Symbol.iterator] = function* () {}',
  'Array.prototype.push': 'Array.prototype.push = function () { return 0 }',
  'Array.prototype.map': 'Reflect.defineProperty(Array.prototype, "map", { value: () => [] })',
  'Promise.prototype.then': 'Promise.prototype.then = function (go) { go(8); return this }',
  'the global Promise': 'globalThis.Promise = class { static resolve() { return 8 } }',
  'Object.is': 'Object.is = () => true',
  'RegExp.prototype.exec': 'RegExp.prototype.exec = () => [""]',
  'Symbol.hasInstance': 'Object.defineProperty(Function.prototype, Symbol.hasInstance, { value: () => true })',
  'a message of every object':
    'Object.defineProperty(Object.prototype, "problem", { value: undefined, writable: false })',
  'a setter of every object': 'Object.defineProperty(Object.prototype, "problem", { set() {}, get() {} })',
  'how stacks are made': 'Error.prepareStackTrace = (_, sites) => sites',
  'the exit of the process': 'globalThis.process?.exit(0)\nprocess.exit(0)',
  'code made of texts': escaping('Function("return process")()'),
  'code made by a function of a function': escaping('(() => {}).constructor.constructor("return process")()'),
  'code made by eval': escaping('(0, eval)("process")'),
  'what a late import leaves': `
    const late = import('node:process')
    late.catch(() => {})
    ${escaping('late.constructor.constructor("return process")()')}
    try { Object.getPrototypeOf(late).then = () => {} } catch {}`,
  'the thread behind a timer': `setTimeout(function () { ${escaping('this.constructor.constructor("return process")()')} }, 0)`,
  'the thread behind a console': `console.log({
    [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) { ${escaping('inspect.constructor("return process")()')} },
  })`,
  'modules of Node': 'import { writeSync } from "node:fs"\nwriteSync(1, "ok 1 - doubles\\n1..1\\n")',
  'the heap': `import { getHeapSnapshot } from 'node:v8'\ngetHeapSnapshot()`,
  'the port of the thread': `import { parentPort } from 'node:worker_threads'\nparentPort.postMessage({ type: 'done' })`,
  'the assertions': `import assert from 'node:assert'\nassert.equal = () => {}`,
  'the tests': 'import * as tests from "../tests/double.test.js"\nconsole.log(Object.keys(tests))',
  'a file outside': 'import "../../../../../../etc/passwd"',
}

test('a right answer passes', () => {
  expect(run(right)).toMatchObject({ status: 0, stdout: expect.stringContaining('ok 4 - refuses') })
})

test.each(Object.entries(cheats))('a wrong answer does not pass by way of %s', (_, cheat) => {
  const { status, stderr } = run(`${cheat}\n${wrong}`)
  expect(status).not.toBe(0)
  expect(stderr).not.toContain('ESCAPED')
})

test('an assertion that a source catches leads to nothing', () => {
  const { status, stdout, stderr } = run(`
    export const double = (n, check) => {
      try { check?.(0) } catch (error) {
        ${escaping('error.constructor.constructor("return process")()')}
        ${escaping('Object.getPrototypeOf(error.constructor).constructor.constructor("return process")()')}
        for (let at = error; at !== null; at = Object.getPrototypeOf(at))
          for (const key of Reflect.ownKeys(at)) try { at[key] = () => {} } catch {}
      }
      return 0
    }`)
  expect([status, stderr.includes('ESCAPED')]).toEqual([1, false])
  expect(stdout).not.toMatch(/^ok/m)
})

test('what programs often do with their own objects is still allowed', () => {
  const source = `
    class Refused extends Error {
      constructor(text) { super(text); this.name = 'Refused'; this.message = 'not a number' }
    }
    const table = {}
    table.toString = 1
    table.constructor = 2
    function Old() {}
    Old.prototype.valueOf = function () { return table.toString + table.constructor }
    ${right.replace("new TypeError('it is not a number')", 'new Refused(String(+new Old()))')}`
  expect(run(source).stdout).toContain('ok 4 - refuses')
})
