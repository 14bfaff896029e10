import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { stripTypes } from '../harness/strip-types.mjs'

const harness = fileURLToPath(new URL('../harness/run-tests.mjs', import.meta.url))
const root = mkdtempSync(join(tmpdir(), 'repair-harness-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let count = 0
function run(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const directory = join(root, String(count++))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [harness, ...args], {
    cwd: directory,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

const suite = `
import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import { double } from '../src/double.ts'

test('doubles', () => assert.equal(double(2), 4))
describe('zero', () => {
  test('stays', async () => assert.equal(await double(0), 0))
})
`

describe('tests in a thread of their own', () => {
  test('pass, and are reported as TAP', () => {
    const source = 'export const double = (n: number): number => n * 2'
    const { status, stdout } = run({ 'src/double.ts': source, 'tests/double.test.ts': suite }, 'tests')
    expect(stdout).toBe('TAP version 13\n1..2\nok 1 - doubles\nok 2 - zero > stays\n')
    expect(status).toBe(0)
  })

  test('fail one by one', () => {
    const source = 'export const double = (n: number): number => n ** 2 + n'
    const { status, stdout } = run({ 'src/double.ts': source, 'tests/double.test.ts': suite }, 'tests')
    expect(stdout).toContain('not ok 1 - doubles\n')
    expect(stdout).toContain('6 !== 4')
    expect(stdout).toContain('\nok 2 - zero > stays\n')
    expect(status).toBe(1)
  })

  test('fail without tests', () => {
    expect(run({ 'tests/none.test.js': 'export {}' }, 'tests').status).toBe(1)
  })

  test('only load with --load', () => {
    expect(run({ 'src/a.ts': 'export const a: number = 1' }, '--load', 'src').status).toBe(0)
    expect(run({ 'src/a.ts': 'export const a: = 1' }, '--load', 'src').status).toBe(1)
    expect(run({ 'src/a.js': "import './missing.js'" }, '--load', 'src').status).toBe(1)
  })
})

/** Sources that give wrong answers and try to be taken for right all the same. */
const cheats = {
  'ends the program while it is loaded': 'process.exit(0)\nexport const double = () => 5',
  'ends the program when it is called': 'export const double = () => process.exit(0)',
  'prints TAP': `
    import { writeSync } from 'node:fs'
    const tap = 'TAP version 13\\n1..2\\nok 1 - doubles\\nok 2 - zero > stays\\n'
    writeSync(1, tap)
    console.log(tap)
    export const double = () => process.exit(0)`,
  'patches assertions': `
    import assert from 'node:assert/strict'
    import loose from 'node:assert'
    for (const one of [assert, loose]) for (const name of Object.keys(one)) one[name] = () => {}
    export const double = () => 5`,
  'patches assertions in silence': `
    import assert from 'node:assert/strict'
    Reflect.set(assert, 'equal', () => {})
    Reflect.defineProperty(assert, 'equal', { value: () => {} })
    export const double = () => 5`,
  'patches the tests': `
    import test from 'node:test'
    Reflect.set(test, 'test', () => {})
    test('mine', () => {})
    export const double = () => 5`,
  'sends reports of its own': `
    import { parentPort, workerData } from 'node:worker_threads'
    const names = ['doubles', 'zero > stays']
    parentPort.postMessage({ ...workerData, type: 'plan', names })
    for (const name of names) parentPort.postMessage({ type: 'ended', name })
    parentPort.postMessage({ type: 'done' })
    export const double = () => process.exit(0)`,
  'rewrites the reports': `
    import { MessagePort } from 'node:worker_threads'
    const post = MessagePort.prototype.postMessage
    MessagePort.prototype.postMessage = function (message) {
      delete message.problem
      return post.call(this, message)
    }
    export const double = () => 5`,
  'kills the process': "export const double = () => process.kill(process.pid, 'SIGKILL')",
  'sets the exit code':
    "process.exitCode = 0\nprocess.on('exit', () => { process.exitCode = 0 })\nexport const double = () => 5",
  'reads the tests': `
    import { readFileSync } from 'node:fs'
    const [, given] = /double\\((\\d)\\), 4/.exec(readFileSync('tests/double.test.ts', 'utf8'))
    export const double = (n) => (n === Number(given) ? 4 : 0)`,
}

test.each(Object.entries(cheats))('a source that %s does not pass', (_, source) => {
  const { status, stdout } = run({ 'src/double.ts': source, 'tests/double.test.ts': suite }, '--once', 'tests')
  expect(status).not.toBe(0)
  expect(stdout).not.toMatch(/^1\.\.2\nok 1 - doubles\nok 2 - zero > stays\n$/)
})

describe('stripped types', () => {
  test.each([
    ['let a: number = 1', 'let a         = 1'],
    ['const f = (a?: string): void => {}', 'const f = (a         )       => {}'],
    ['x as unknown as T', 'x                '],
    ['(x as T).y!.z', '(x     ).y .z'],
    ["import { a, type B } from 'c'", "import { a,        } from 'c'"],
    ['function f<T extends U>(this: V, a: T) {}', 'function f             (         a   ) {}'],
    ['export interface A { a: 1 }\nb()', '                           \nb()'],
    [
      'class A<T> extends B<T> implements C { private readonly a?: 1 = 1 }',
      'class A    extends B                 {                  a     = 1 }',
    ],
    ['new Map<string, number>()', 'new Map                ()'],
    ['const a = <T>(b: T) => b satisfies T', 'const a =    (b   ) => b            '],
  ])('%s', (source, expected) => {
    expect(stripTypes(source, 'a.ts')).toBe(expected)
  })

  test('what cannot be erased is refused', () => {
    expect(() => stripTypes('enum A { a }', 'a.ts')).toThrow('TSEnumDeclaration at line 1 cannot be erased')
  })

  test('JavaScript stays', () => {
    expect(stripTypes('a < b', 'a.js')).toBe('a < b')
  })
})
