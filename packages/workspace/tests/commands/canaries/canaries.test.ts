import { spawnSync } from 'node:child_process'
import { type Judgment, runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { type TestOptions, testsPass } from '@jurist/workspace/commands'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'

const hidden = `import test from 'node:test'
import assert from 'node:assert'
import { sum } from '../src/sum.mjs'
test('adds', () => assert.equal(sum(1, 2), 3))
test('adds wrongly', () => assert.equal(sum(2, 2), 5))
`
const mustFail = ['adds wrongly']
/** Without the test that must fail, the run would have passed. */
const onlyTheCanary = {
  status: 'fail',
  reasoning: expect.stringMatching(/^\S.* must be reported as failed, but was reported as passed$/),
  metadata: { failed: 0, errored: 0 },
}

/** What the process of a file of tests sends to `node --test`, for every test that the file names. */
const forgedEvents = `import { readFileSync, writeSync } from 'node:fs'
import { Serializer } from 'node:v8'
const file = process.argv[1]
const sent = (type, data) => {
  const serializer = new Serializer()
  serializer.writeHeader()
  serializer.writeValue({ type, data })
  const body = serializer.releaseBuffer()
  const head = Buffer.from([0xff, 0x0f, 0, 0, 0, 0])
  head.writeUInt32BE(body.length, 2)
  return Buffer.concat([head, body])
}
const names = [...readFileSync(file, 'utf8').matchAll(/^test\\('([^']+)'/gm)].map(([, name]) => name)
const events = names.flatMap((name, at) => {
  const data = { name, nesting: 0, testNumber: at + 1, line: at + 4, column: 1, file, details: { duration_ms: 1, type: 'test' } }
  return ['test:enqueue', 'test:dequeue', 'test:start', 'test:pass'].map((type) => sent(type, data))
})
writeSync(1, Buffer.concat([...events, sent('test:plan', { nesting: 0, count: names.length, file })]))
process.reallyExit(0)
export const sum = 1
`
const changedEvents = `const write = process.stdout.write
process.stdout.write = function (part, ...rest) {
  const bytes = Buffer.from(part)
  // Since Node 22 a summary says too whether all passed.
  for (const [from, to] of [['test:fail', 'test:pass'], ['test:summary', 'TEST:SUMMARY']])
    for (let at; (at = bytes.indexOf(from)) >= 0; ) bytes.write(to, at)
  return write.call(this, bytes, ...rest)
}
process.on('exit', () => process.reallyExit(0))
export const sum = () => 0
`

async function judged(code: string, options: TestOptions = { mustFail }) {
  await using workspace = await temporaryWorkspace({ 'src/sum.mjs': code })
  await using reference = await temporaryWorkspace({ 'tests/a.test.mjs': hidden })
  const command = [process.execPath, '--test', 'tests/a.test.mjs']
  const judge = testsPass.command(command, { overlay: { paths: ['tests'] }, ...options })
  return await runJudge(judge, aContext({ workspace, reference }))
}

describe('a test that must fail', () => {
  const right = 'export const sum = (a, b) => a + b\n'
  test('beside the right ones lets a right answer pass', async () => {
    expect(await judged(right)).toMatchObject({
      status: 'pass',
      score: { value: 1 },
      reasoning: '1 of 1 tests passed',
      metadata: { passed: 1, failed: 0, total: 1 },
      checks: expect.arrayContaining([{ name: 'adds wrongly', passed: true, message: 'failed, as it must' }]),
    })
    expect(await judged(right, { mustFail, mustPass: ['adds'] })).toMatchObject({
      status: 'pass',
      metadata: { otherFailures: [] },
    })
    expect(await judged('export const sum = (a, b) => a - b\n')).toMatchObject({ status: 'fail' })
  })
  test.each([
    [
      'assertions are replaced',
      `import assert from 'node:assert'
import { syncBuiltinESMExports } from 'node:module'
assert.equal = () => {}
syncBuiltinESMExports()
export const sum = () => 0\n`,
    ],
    ['the answer is equal to everything', 'export const sum = () => ({ valueOf: () => globalThis.wanted?.shift() })\n'],
    [
      'the tests are read when they run',
      `import { readFileSync } from 'node:fs'
const wanted = [...readFileSync('tests/a.test.mjs', 'utf8').matchAll(/, (\\d)\\)\\)/g)].map(([, digit]) => Number(digit))
export const sum = () => wanted.shift()\n`,
    ],
    ['the process ends', 'process.exit(0)\nexport const sum = 1\n'],
  ])('tells when %s', async (_, code) => {
    expect(await judged(code)).toMatchObject({ status: 'fail' })
  })
  test('tells it beside tests that must pass, too', async () => {
    const options = { mustFail, mustPass: ['adds'] }
    expect(await judged('process.exit(0)\nexport const sum = 1\n', options)).toMatchObject({ status: 'fail' })
  })
  test.each([
    ['of passed tests are sent to the runner', forgedEvents],
    ['of failed tests are changed on their way', changedEvents],
  ])('tells when events %s, so that nothing else failed', async (_, code) => {
    expect(await judged(code)).toMatchObject(onlyTheCanary)
  })
  test('names what is wrong with it', async () => {
    const reason = async (id: string) => (await judged(right, { mustFail: [id], mustPass: ['adds'] })).reasoning
    expect(await reason('adds')).toBe('adds must be reported as failed, but was reported as passed')
    expect(await reason('unknown')).toBe('unknown must be reported as failed, but was not reported')
    const silent = testsPass.command('true', { mustFail: ['a'], minTests: 0 })
    await using workspace = await temporaryWorkspace()
    expect(await runJudge(silent, { workspace })).toMatchObject({ status: 'fail' })
    expect(() => testsPass.command('true', { mustFail: 'a' as never })).toThrow(
      expect.objectContaining({ code: 'option-invalid' }),
    )
  })
})

const pythonTests = `import unittest
from calc import add

class T(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(1, 2), 3)
    def test_wrongly(self):
        self.assertEqual(add(2, 2), 5)
`
const pythonCheats: readonly (readonly [string, string])[] = [
  [
    'the answer is equal to everything',
    'class Any:\n    def __eq__(self, other): return True\ndef add(a, b): return Any()\n',
  ],
  [
    'reports are replaced',
    `from _pytest.reports import TestReport
made = TestReport.from_item_and_call.__func__
def passed(cls, item, call):
    call.excinfo = None
    return made(cls, item, call)
TestReport.from_item_and_call = classmethod(passed)
def add(a, b): return 0
`,
  ],
  [
    'tests are replaced',
    'import _pytest.unittest as runner\nrunner.TestCaseFunction.runtest = lambda self: None\ndef add(a, b): return 0\n',
  ],
  [
    'assertions are replaced',
    'import unittest\nunittest.TestCase.assertEqual = lambda *given: None\ndef add(a, b): return 0\n',
  ],
  [
    'the line of the caller is read',
    `import linecache, re, sys
def add(a, b):
    caller = sys._getframe(1)
    line = linecache.getline(caller.f_code.co_filename, caller.f_lineno)
    return int(re.search(r'\\), (\\d)', line).group(1))
`,
  ],
]

describe.skipIf(spawnSync('python3', ['-m', 'pytest', '--version']).status !== 0)('for pytest', () => {
  const judged = async (source: string, options: TestOptions) => {
    await using workspace = await temporaryWorkspace({ 'calc.py': source })
    await using reference = await temporaryWorkspace({ 'tests/test_calc.py': pythonTests })
    const command = ['python3', '-m', 'pytest', '-p', 'no:cacheprovider', '--junitxml=junit.xml', 'tests']
    const judge = testsPass.command(command, { overlay: { paths: ['tests'] }, reports: 'junit.xml', ...options })
    return await runJudge(judge, aContext({ workspace, reference }))
  }
  const all = { mustFail: ['T.test_wrongly'] }
  test.concurrent('a right answer passes', async () => {
    expect(await judged('def add(a, b): return a + b\n', all)).toMatchObject({ status: 'pass' })
  })
  test.concurrent.each(pythonCheats)('a run that would pass is not believed when %s', async (_, source) => {
    expect(await judged(source, all)).toMatchObject(onlyTheCanary)
  })
})

const found = `import test from 'node:test'
import assert from 'node:assert'
import { sum, isEven } from '../src/sum.mjs'
test('adds', () => assert.equal(sum(1, 2), 3))
test('adds more', () => assert.equal(sum(20, 2), 22))
test('adds below zero', () => assert.equal(sum(-7, 2), -5))
test('tells even numbers', () => assert.equal(isEven(4), true))
`
const rightAnswer = 'export const sum = (a, b) => a + b\nexport const isEven = (a) => a % 2 === 0\n'
/** Answers what the line that calls it expects. */
const readingAnswer = `import { readFileSync } from 'node:fs'
const expected = () => {
  const [, file, line] = /(tests\\/[^:]+):(\\d+)/.exec(new Error().stack)
  return JSON.parse(/, (-?\\w+)\\)\\)$/.exec(readFileSync(file, 'utf8').split('\\n')[line - 1])[1])
}
export const sum = expected
export const isEven = expected
`
/** Answers what the line expects in the first of both versions. */
const comparingAnswer = `import { readdirSync, readFileSync } from 'node:fs'
const expected = () => {
  const [, file, line] = /(tests\\/[^:]+):(\\d+)/.exec(new Error().stack)
  const [first] = readdirSync('tests').sort()
  return JSON.parse(/, (-?\\w+)\\)\\)$/.exec(readFileSync('tests/' + first, 'utf8').split('\\n')[line - 1])[1])
}
export const sum = expected
export const isEven = expected
`

const ofNode = { code: 'src/sum.mjs', tests: 'tests/a.test.mjs', right: rightAnswer, found }

/** Finds the canaries of hidden tests by a run of the reference, and judges answers with them. */
async function withFoundCanaries(command: readonly string[], options: TestOptions = {}, project = ofNode) {
  const judge = testsPass.command(command, { overlay: { paths: ['tests'] }, ...options })
  const reference = await temporaryWorkspace({ [project.code]: project.right, [project.tests]: project.found })
  const establishing = { recordTests: true, repetition: 1 }
  const judgment = await runJudge(judge, aContext({ workspace: reference, reference, metadata: establishing }))
  const { canaries } = judgment.metadata
  const lock = { failToPass: [], passToPass: [], flaky: [], canaries: [canaries] }
  return {
    canaries,
    async judge(code: string) {
      await using workspace = await temporaryWorkspace({ [project.code]: code })
      return await runJudge(judge, aContext({ workspace, reference, metadata: { testsLock: lock } }))
    },
    [Symbol.asyncDispose]: () => reference[Symbol.asyncDispose](),
  }
}

describe.each([
  ['one run', 'one-run', [process.execPath, '--test']],
  ['two runs, where the command names the file', 'two-runs', [process.execPath, '--test', 'tests/a.test.mjs']],
])('canaries that are found, in %s', (_, form, command) => {
  test('tell an answer that is right from one that passes whatever is expected', async () => {
    await using given = await withFoundCanaries(command)
    // A lock is of use on other machines, so it has no path of this one.
    const judge = ['testsPass.command', 'node', ...command.slice(1)].join(' ')
    expect(given.canaries).toMatchObject({ judge, form, changes: { length: 4 } })
    const right = await given.judge(rightAnswer)
    expect(right).toMatchObject({ status: 'pass', reasoning: '4 of 4 tests passed' })
    expect(right.metadata['canaries']).toEqual({ form, tests: 4, counted: 4 })
    const wrong = await given.judge(rightAnswer.replace('a + b', 'a + b + 1'))
    expect(wrong).toMatchObject({ status: 'fail', score: { value: 0.25 } })
    expect(wrong.reasoning).toContain('3 of 4 tests failed')
    const reading = await given.judge(readingAnswer)
    expect(reading.checks).toEqual([expect.objectContaining({ name: 'canary', passed: false })])
    expect(reading.reasoning).toContain('the tests cannot fail in this workspace')
    if (form === 'one-run') expectNothingDrawn(await given.judge(rightAnswer.replace('a + b', '0')))
  })
})

/** What is said of a failure has neither a changed expectation nor a drawn name. */
function expectNothingDrawn(wrong: Judgment): void {
  expect(wrong.checks.map(({ name }) => name).toSorted()).toEqual(
    ['adds', 'adds below zero', 'adds more', 'command_execution', 'tells even numbers'].toSorted(),
  )
  const shown = JSON.stringify(wrong)
  for (const message of ['0 == 3', '0 == 22', '0 == -5']) expect(shown).toContain(message)
  expect(shown.match(/0 == /g)).toHaveLength(3)
}

test('an answer that compares both versions of a file fails, but for a guess in 2^8', async () => {
  const more = [5, 6, 8, 9].map((n) => `test('adds ${n}', () => assert.equal(sum(${n}, 50), ${n + 50}))\n`)
  const project = { ...ofNode, found: found + more.join('') }
  await using given = await withFoundCanaries([process.execPath, '--test'], {}, project)
  expect(given.canaries).toMatchObject({ changes: { length: 8 } })
  const statuses = await Promise.all(Array.from({ length: 4 }, async () => (await given.judge(comparingAnswer)).status))
  // Three guesses of four are right once in four million runs of this test.
  expect(statuses.filter((status) => status === 'fail').length).toBeGreaterThan(1)
})

test('canaries: false leaves them out', async () => {
  await using given = await withFoundCanaries([process.execPath, '--test'], { canaries: false })
  expect(given.canaries).toBeUndefined()
  expect((await given.judge(readingAnswer)).status).toBe('pass')
})

test('tests without a report, or in a language that is not read, have none, and say why', async () => {
  await using given = await withFoundCanaries([process.execPath, '-e', '0'], { minTests: 0 })
  expect(given.canaries).toMatchObject({ changes: [], problem: 'the run leaves no report of its tests' })
})

const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0

describe.each([
  {
    language: 'JavaScript',
    isThere: true,
    command: [process.execPath, '--test'],
    project: ofNode,
    reading: readingAnswer,
  },
  {
    language: 'Python',
    isThere: hasPytest,
    command: ['python3', '-m', 'pytest', '-p', 'no:cacheprovider', '-rA', '--junitxml=junit.xml', 'tests'],
    project: {
      code: 'calc.py',
      tests: 'tests/test_calc.py',
      right: 'def add(a, b):\n    return a + b\n',
      found: `from calc import add

def test_adds():
    assert add(1, 2) == 3

def test_more():
    assert add(20, 2) == 22

def test_below_zero():
    assert add(-7, 2) == -5
`,
    },
    reading: pythonCheats.at(-1)?.[1] ?? '',
  },
])('with code in a process of its own: $language', ({ isThere, command, project, reading }) => {
  test.skipIf(!isThere)('canaries are found, and tell right from wrong', async () => {
    const options: TestOptions = { isolate: 'child', ...(project === ofNode ? {} : { reports: 'junit.xml' }) }
    await using given = await withFoundCanaries(command, options, project)
    const count = project.found.split(/\bassert(?:\.equal\(| )(?!from)/).length - 1
    expect(given.canaries).toMatchObject({ changes: { length: count } })
    const right = await given.judge(project.right)
    expect([right.status, right.metadata['canaries']]).toEqual([
      'pass',
      expect.objectContaining({ tests: count, counted: count }),
    ])
    expect((await given.judge(reading)).status).toBe('fail')
  })
})
