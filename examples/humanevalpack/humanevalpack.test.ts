import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../packages/jurist/tests/project.js'
import { root } from '../../tests/structure/source.js'

const jiti = join(root, 'node_modules/jiti/lib/jiti-cli.mjs')
const program = join(root, 'examples/humanevalpack/main.ts')

/** Runs the example in a directory. */
const imported = ({ directory }: Project, ...argv: readonly string[]) =>
  promisify(execFile)(process.execPath, [jiti, program, ...argv], { cwd: directory }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )

const line = (number: number, more: object = {}) =>
  JSON.stringify({
    task_id: `JavaScript/${number}`,
    declaration: 'const add = (a, b) => {\n',
    instruction: 'Write add.',
    buggy_solution: '  return a - b\n}\n',
    canonical_solution: '  return a + b\n}\n',
    example_test: 'console.assert(add(2, 0) === 2)\n',
    test: 'const t = () => {\n  console.assert(add(1, 2) === 3)\n  console.assert(JSON.stringify([add(1, 1)]) === "[2]")\n}\nt()\n',
    entry_point: 'add',
    bug_type: 'operator misuse',
    failure_symptoms: 'incorrect output',
    ...more,
  })
const forever = { buggy_solution: '  for (;;);\n}\n' }
const needsModule = { canonical_solution: "  return require('js-md5')(a)\n}\n" }
const source = [line(0), line(1, forever), line(2, needsModule), line(3, { example_test: '' })].join('\n')

describe('the dataset of HumanEvalPack', () => {
  let made: Project
  beforeAll(async () => {
    made = project({ 'pack.jsonl': source })
    expect(await imported(made, 'pack.jsonl', 'bugs')).toMatchObject({ code: 0 })
    return () => made[Symbol.dispose]()
  })
  const text = (path: string) => readFileSync(join(made.directory, 'bugs', path), 'utf8')

  test('writes the files that are promised, and keeps the hidden test from the agent', () => {
    expect(JSON.parse(text('dataset.json'))).toMatchObject({ schemaVersion: 1, name: 'humanevalpack-javascript' })
    const root = join(made.directory, 'bugs/items/JavaScript-0')
    expect(readdirSync(root, { recursive: true }).sort()).toEqual([
      'before',
      'before/solution.js',
      'before/visible.test.js',
      'item.json',
      'reference',
      'reference/hidden.test.js',
      'reference/solution.js',
    ])
    expect(JSON.parse(text('items/JavaScript-0/item.json'))).toEqual({
      developerTask: 'Write add.',
      metadata: {
        entryPoint: 'add',
        bugType: 'operator misuse',
        failureSymptoms: 'incorrect output',
        taskId: 'JavaScript/0',
      },
    })
  })

  test('runs: reference repairs, idle does not, what never ends is a timeout, a missing module is named', async () => {
    // Of processor time, where the system says it: a busy machine takes long for what ends, too.
    const config = text('jurist.config.ts')
      .replace('10_000', '30_000')
      .replaceAll('{ timeoutMs', '{ cpuMs: 2_000, timeoutMs')
    writeFileSync(join(made.directory, 'bugs/jurist.config.ts'), config)
    const { code, stdout } = await made.jurist('run', '-C', 'bugs')
    expect(code).toBe(0)
    const rows = stdout.split('\n').map((row) => row.trim().split(/ {2,}/))
    expect(rows.find(([name]) => name === 'idle')?.slice(0, 2)).toEqual(['idle', '0/4'])
    expect(rows.find(([name]) => name === 'idle')).toContain('1')
    expect(rows.find(([name]) => name === 'reference')?.slice(0, 2)).toEqual(['reference', '3/4'])
    const { stdout: shown } = await made.jurist('show', '-C', 'bugs', 'humanevalpack@reference', 'JavaScript-2')
    expect(shown).toContain("Cannot find module 'js-md5'")
    const late = await made.jurist('show', '-C', 'bugs', 'humanevalpack@idle', 'JavaScript-1')
    expect(late.stdout).toMatch(/used up its 2000 ms of processor time|timed out after 30000 ms/)
  })
})

test('a bad line is refused by its number, and nothing is written', async () => {
  using made = project({ 'pack.jsonl': [line(0), '{', line(0), line(5).replace('JavaScript/', 'Python/')].join('\n') })
  const { code, stderr } = await imported(made, 'pack.jsonl', 'bugs')
  expect(code).toBe(2)
  for (const said of ['line 2', 'line 3', 'used twice (line 1)', 'line 4', 'Python/5 is not supported'])
    expect(stderr).toContain(said)
  expect(existsSync(join(made.directory, 'bugs'))).toBe(false)
  made.write({ 'full/x': '' })
  const full = await imported(made, 'pack.jsonl', 'full')
  expect(full.stderr).toContain('full is not empty')
})

describe('the test programs', () => {
  const wrong = 'const add = (a, b) => a * b + 7\n'
  let directory = ''
  beforeAll(async () => {
    const made = project({ 'pack.jsonl': line(0) })
    await imported(made, 'pack.jsonl', 'bugs')
    directory = join(made.directory, 'bugs/items/JavaScript-0/reference')
    return () => made[Symbol.dispose]()
  })
  const outcome = (solution: string) => {
    writeFileSync(join(directory, 'solution.js'), solution)
    const { status, stdout } = spawnSync(process.execPath, ['hidden.test.js'], { cwd: directory, encoding: 'utf8' })
    return { status, stdout }
  }

  test.each([
    ['an arrow', 'const add = (a, b) => a + b\n'],
    ['a function with eval', "function add(a, b) { return eval(a + '+' + b) }\n"],
    [
      'an object with names of Object',
      'const add = (a, b) => { const o = {}; o.toString = a; o.constructor = b; return a + b }\n',
    ],
  ])('pass what is right: %s', (_, solution) => {
    const { status, stdout } = outcome(solution)
    expect(stdout).toContain('\n1..4\n')
    expect(status).toBe(0)
  })

  test.each([
    ['is wrong', wrong, 1],
    ['leaves', `${wrong}process.exit(0)\n`, 2],
    ['leaves when it is called', 'const add = () => process.exit(0)\n', 2],
    ['patches assert', `${wrong}console.assert = () => {}\n`, 1],
    ['hides console', `${wrong}const console = { assert() {} }\n`, 2],
    ['replaces console', `${wrong}globalThis.console = { assert() {} }\n`, 1],
    ['makes all JSON equal', `${wrong}JSON.stringify = () => '[2]'\n`, 1],
    ['hides JSON', `const add = () => 3\nconst JSON = { stringify: () => '[2]' }\n`, 2],
    ['asks a constructor for the process', "this.constructor.constructor('return process')().exit(0)\n", 2],
    ['asks a function for the process', "console.assert.constructor('return process')().exit(0)\n", 2],
    [
      'asks an import for the process',
      `${wrong}import('fs').catch((e) => e.constructor.constructor('return process')().exit(0))\n`,
      1,
    ],
    ['asserts itself', 'const add = () => 0\nconsole.assert(true)\n', 2],
    ['prints a report', `${wrong}console.log('ok 1 - all\\n1..1')\n`, 1],
    [
      'reads its caller',
      `function add(a, b) { return Number(/add\\(1, 2\\) === (\\d)/.exec(add.caller)?.[1] ?? 0) }\n`,
      1,
    ],
    [
      'reads the caller of what it is given',
      `function add() { return /=== (\\d)/.exec(arguments.callee.caller)?.[1] }\n`,
      1,
    ],
    ['reads the test by its name', 'const add = () => Number(/=== (\\d)/.exec(String(t))[1])\n', 2],
    ['does not parse', 'const add = (\n', 2],
  ])('fail what %s', (_, solution, code) => {
    const { status, stdout } = outcome(solution)
    expect(status).toBe(code)
    expect(stdout).toContain('not ok')
  })
})
