import { spawnSync } from 'node:child_process'
import { runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { buildSucceeds, readTestReport, type TestOptions, testsPass } from '@jurist/workspace/commands'
import { fakeCommands, type TemporaryFile, temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'

type Files = { readonly [path: string]: TemporaryFile }
const hasTool = (tool: string) => spawnSync(tool, ['--version']).status === 0
const manifest = (test: string) => JSON.stringify({ type: 'module', scripts: { test } })
const hidden = `import test from 'node:test'
import assert from 'node:assert'
import { sum } from '../src/sum.js'
test('adds', () => assert.equal(sum(1, 2), 3))
test('adds zero', () => assert.equal(sum(0, 0), 0))
`
const right = 'export const sum = (a, b) => a + b\n'
const cheats = {
  'at import': 'process.exit(0)\nexport const sum = 1\n',
  'in a call': 'export const sum = () => process.exit(0)\n',
  'without handlers': 'process.reallyExit(0)\nexport const sum = 1\n',
  'after the first test': `let calls = 0
export const sum = () => (++calls === 2 ? process.reallyExit(0) : 3)\n`,
  later: `setTimeout(() => process.reallyExit(0), 300)
export const sum = () => 3
`,
}
const juries: readonly TestOptions[] = [{}, { minTests: 1 }, { mustPass: ['adds'] }]

interface Given {
  /** Whether npm runs the script, and not a shell. */
  readonly byScript?: boolean
  readonly script?: string
  readonly tests?: Files
  readonly options?: TestOptions
}

async function judged(
  code: string,
  { script = 'node --test tests/*.test.js', byScript = false, tests, options }: Given = {},
) {
  const shown = { 'package.json': manifest(script) }
  await using workspace = await temporaryWorkspace({ ...shown, 'src/sum.js': code })
  await using reference = await temporaryWorkspace({ ...shown, 'tests/hidden.test.js': hidden, ...tests })
  const all = { ...options, overlay: { paths: ['tests', 'package.json'] } }
  // A script of npm starts two more processes, which only the first tests need.
  const judge = byScript ? testsPass.npm('test', all) : testsPass.command(script, all)
  return await runJudge(judge, aContext({ workspace, reference }))
}

describe.skipIf(!hasTool('npm'))('node --test', () => {
  test.each(juries)('counts a right answer: %j', async (options) => {
    expect(await judged(right, { options, byScript: options === juries[0] })).toMatchObject({
      status: 'pass',
      metadata: { report: 'tap', passed: 2, total: 2 },
    })
  })
  test.each(Object.entries(cheats))('does not pass for a process that ends with 0 %s', async (_, code) => {
    // The second test waits, so that what was reported of the first has left the process.
    const waits = hidden.replace(
      "test('adds zero'",
      "test('waits', () => new Promise((done) => setTimeout(done, 900)))\ntest('adds zero'",
    )
    expect(await judged(code, { tests: { 'tests/hidden.test.js': waits } })).toMatchObject({ status: 'fail' })
  })
  test('does not pass when one file of several ends early', async () => {
    const other = "import test from 'node:test'\ntest('is there', () => {})\n"
    const given = { tests: { 'tests/other.test.js': other }, options: { minTests: 1 } }
    const judgment = await judged(cheats['at import'], given)
    expect(judgment).toMatchObject({ status: 'fail', metadata: { passed: 1, errored: 1 } })
  })
  test('a module without tests among them is not one, and a test named as a file is one', async () => {
    const tests = {
      'tests/sums.test.js': 'export const sums = [[1, 2, 3]]\n',
      'tests/files.test.js': "import test from 'node:test'\ntest('src/sum.js', () => {})\ntest('a.js', () => {})\n",
    }
    expect(await judged(right, { tests, options: { mustPass: ['src/sum.js', 'a.js', 'adds'] } })).toMatchObject({
      status: 'pass',
    })
    expect(await judged(right, { tests })).toMatchObject({ status: 'pass', metadata: { passed: 4, skipped: 1 } })
  })
  test('with a reporter that the project names, no report is a fail that says so', async () => {
    const given = { script: 'node --test --test-reporter=spec tests/hidden.test.js' }
    expect(await judged(right, given)).toMatchObject({
      status: 'fail',
      reasoning: expect.stringContaining('minTests: 0'),
    })
    expect(await judged(right, { ...given, options: { minTests: 0 } })).toMatchObject({ status: 'pass' })
    const tap = { script: 'node --test --test-reporter=tap tests/hidden.test.js' }
    expect(await judged(right, tap)).toMatchObject({ status: 'pass', metadata: { passed: 2 } })
    expect(await judged(cheats['at import'], tap)).toMatchObject({ status: 'fail' })
  })
  test('is asked as a command, too, and options of the user stay', async () => {
    await using workspace = await temporaryWorkspace({
      'a.test.cjs': "require('node:test')('sees ' + globalThis.seen, () => {})\n",
      'seen.cjs': 'globalThis.seen = 1\n',
    })
    const options = { env: { NODE_OPTIONS: '--require=./seen.cjs' }, mustPass: ['sees 1'] }
    for (const command of [[process.execPath, '--test', 'a.test.cjs'], 'node --test a.test.cjs', 'node a.test.cjs'])
      expect(await runJudge(testsPass.command(command, options), { workspace })).toMatchObject({ status: 'pass' })
  })
})

describe('no report, no pass', () => {
  const ending = 'import os\nos._exit(0)\n'
  const python =
    'import calc\nimport unittest\nclass T(unittest.TestCase):\n    def test_add(self): self.assertEqual(calc.add(1, 2), 3)\n'
  const overlay = { paths: ['tests'] }
  const run = async (code: string, command: readonly string[], options: TestOptions) => {
    await using workspace = await temporaryWorkspace({ 'calc.py': code })
    await using reference = await temporaryWorkspace({ 'tests/test_calc.py': python, 'tests/__init__.py': '' })
    return await runJudge(testsPass.command(command, options), aContext({ workspace, reference }))
  }
  const unittest = ['python3', '-m', 'unittest', 'discover', '-s', 'tests', '-t', '.']
  test.skipIf(!hasTool('python3'))('unittest says what it ran', async () => {
    const healthy = 'def add(a, b): return a + b\n'
    expect(await run(healthy, unittest, { overlay, minTests: 1 })).toMatchObject({
      status: 'pass',
      reasoning: 'unittest printed that 1 of 1 tests passed',
      metadata: { report: 'summary', passed: 1 },
    })
    expect(await run('def add(a, b): return 4\n', unittest, { overlay })).toMatchObject({ status: 'fail' })
    expect(await run(ending, unittest, { overlay })).toMatchObject({ status: 'fail' })
  })
  test.skipIf(!hasTool('pytest'))('nor with a report that was named', async () => {
    const command = ['python3', '-m', 'pytest', '--junitxml=junit.xml', 'tests']
    for (const options of [{ overlay, reports: 'junit.xml' }, { reports: 'junit.xml' }, { overlay }])
      expect(await run(ending, command, options)).toMatchObject({ status: 'fail' })
  })
  test('of any command', async () => {
    await using workspace = await temporaryWorkspace()
    await using reference = await temporaryWorkspace({ 'tests/a': '' })
    const judged = (options: TestOptions) => runJudge(testsPass.command('true', options), { workspace, reference })
    expect(await judged({ overlay })).toMatchObject({ status: 'fail', score: { value: 0 } })
    expect(await judged({ reports: 'out.xml' })).toMatchObject({ status: 'fail' })
    expect(await judged({ overlay, minTests: 0 })).toMatchObject({ status: 'pass' })
    expect(await judged({})).toMatchObject({ status: 'pass' })
  })
  test('of a runner that was asked for a file and prints something else', async () => {
    for (const runner of ['vitest', 'jest', 'mocha']) {
      const files = {
        'package.json': manifest(`./${runner}`),
        [runner]: { executable: '#!/bin/sh\necho "ok 1 - a\n1..1"' },
      }
      await using workspace = await temporaryWorkspace(files)
      expect(await runJudge(testsPass.npm(), { workspace })).toMatchObject({ status: 'fail' })
    }
  })
  test('when the file of the report was opened, and never written', async () => {
    await using workspace = await temporaryWorkspace()
    const judge = testsPass.command('touch junit.xml', { reports: 'junit.xml' })
    expect(await runJudge(judge, { workspace })).toMatchObject({ status: 'fail' })
  })
})

describe('what Cargo prints', () => {
  const program = (name: string, result = 'ok') => `
running 2 tests
test ${name} ... ${result}
test tests::panics - should panic ... ok

test result: ${result}. ${result === 'ok' ? 2 : 1} passed; ${result === 'ok' ? 0 : 1} failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
`
  const judged = async (stdout: string, exitCode: number, options: TestOptions = {}) => {
    await using workspace = await temporaryWorkspace()
    const player = fakeCommands(workspace, async () => ({ stdout, exitCode }))
    return await runJudge(testsPass.cargo(options), { workspace: player })
  }
  test('is its report', async () => {
    const report = readTestReport(`${program('a')}${program('a')}`)
    expect(report.format).toBe('cargo')
    expect(report.tests.map(({ id }) => id)).toEqual(['a', 'tests::panics', 'a (2)', 'tests::panics (2)'])
    expect(await judged(program('a'), 0, { minTests: 2 })).toMatchObject({ status: 'pass' })
    expect(await judged(program('a'), 0, { mustPass: ['tests::panics'] })).toMatchObject({ status: 'pass' })
    expect(await judged(program('a', 'FAILED'), 101)).toMatchObject({ status: 'fail', metadata: { failed: 1 } })
    const quiet = `\nrunning 2 tests\n..\n${program('a').split('\n').at(-2)}\n`
    expect(await judged(quiet, 0, { minTests: 2 })).toMatchObject({ status: 'pass', metadata: { passed: 2 } })
  })
  test('names a program that ended early', async () => {
    for (const stdout of [
      '\nrunning 1 test\n',
      `\nrunning 1 test\n${program('a')}`,
      `${program('a')}\nrunning 1 test\n`,
    ])
      expect(await judged(stdout, 0)).toMatchObject({ status: 'fail', metadata: { errored: 1 } })
    expect(await judged('', 0)).toMatchObject({ status: 'fail' })
  })
})

describe('what the agent took away', () => {
  const player = async (files: Files, before: Files) => {
    await using workspace = await temporaryWorkspace(files)
    await using given = await temporaryWorkspace(before)
    return await runJudge(testsPass.npm(), aContext({ workspace, before: given }))
  }
  test.skipIf(!hasTool('npm'))('a script that is gone, or runs nothing any more, is a fail', async () => {
    const before = { 'package.json': manifest('vitest run') }
    expect(await player({ 'package.json': '{}' }, before)).toMatchObject({
      status: 'fail',
      reasoning: 'package.json no longer has the script "test"',
    })
    expect(await player({}, before)).toMatchObject({ status: 'fail' })
    expect(await player({ 'package.json': manifest('true') }, before)).toMatchObject({ status: 'fail' })
    const free = { 'package.json': manifest('true') }
    expect(await player(free, free)).toMatchObject({ status: 'pass' })
  })
  test('does not decide which build is detected', async () => {
    const build = JSON.stringify({ scripts: { build: 'exit 3' } })
    const detected = async (files: Files, originals: { readonly before?: Files; readonly reference?: Files }) => {
      await using workspace = await temporaryWorkspace(files)
      await using before = await temporaryWorkspace(originals.before)
      await using reference = await temporaryWorkspace(originals.reference)
      const { metadata } = await runJudge(buildSucceeds.detect(), aContext({ workspace, before, reference }))
      return metadata['detected']
    }
    const makefile = { Makefile: 'all:\n\t@true\n' }
    expect(await detected({ ...makefile, 'pom.xml': '' }, { before: { 'package.json': build } })).toBe('package.json')
    expect(await detected(makefile, { before: { 'package.json': build }, reference: { 'go.mod': '' } })).toBe('go.mod')
    expect(await detected(makefile, {})).toBe('Makefile')
  })
})

const quiet = { executable: '#!/bin/sh\nexit 0\n' }

describe('a tool that always reports, and reports nothing', () => {
  test.each([
    ['mvnw', testsPass.maven()],
    ['gradlew', testsPass.gradle()],
  ])('%s that ends well without a report has run no test', async (wrapper, judge) => {
    await using workspace = await temporaryWorkspace({ [wrapper]: quiet })
    expect(await runJudge(judge, { workspace })).toMatchObject({
      status: 'fail',
      checks: [
        { name: 'command_execution', passed: true },
        { name: 'tests_executed', passed: false },
      ],
    })
  })
  test('passes when no test was asked for, and any other command by its exit code', async () => {
    await using workspace = await temporaryWorkspace({ mvnw: quiet })
    expect((await runJudge(testsPass.maven({ minTests: 0 }), { workspace })).status).toBe('pass')
    expect((await runJudge(testsPass.command(['true']), { workspace })).status).toBe('pass')
  })
})
