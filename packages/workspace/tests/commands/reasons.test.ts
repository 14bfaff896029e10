import { runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { buildSucceeds, commandSucceeds, readTestReport, type TestOptions, testsPass } from '@jurist/workspace/commands'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'

/** A tool that prints what it is given on one of its streams and ends with 1. */
function tool(stream: 'stdout' | 'stderr', ...lines: readonly string[]): readonly string[] {
  const program = `process.${stream}.write(${JSON.stringify(`${lines.join('\n')}\n`)}); process.exitCode = 1`
  return [process.execPath, '-e', program]
}

async function reasons(command: readonly string[]): Promise<readonly string[]> {
  await using workspace = await temporaryWorkspace()
  const judges = [testsPass.command(command), buildSucceeds.command(command), commandSucceeds(command)]
  return await Promise.all(judges.map(async (judge) => (await runJudge(judge, aContext({ workspace }))).reasoning))
}

describe('a build that fails says why', () => {
  test.each<[string, 'stdout' | 'stderr', readonly string[], string]>([
    [
      'Maven',
      'stdout',
      [
        '[INFO] Scanning for projects...',
        '[ERROR] COMPILATION ERROR : ',
        '[INFO] -------------',
        "[ERROR] /w/src/App.java:[3,12] ';' expected",
        '[INFO] BUILD FAILURE',
      ],
      "/w/src/App.java:[3,12] ';' expected",
    ],
    [
      'Maven under a rule',
      'stdout',
      [
        '[WARNING] x',
        '[ERROR] Rule 0: RequireMavenVersion failed with message:',
        'Detected Maven Version: 3.8.7 is not in the allowed range [3.9,).',
      ],
      'Rule 0: RequireMavenVersion failed with message: Detected Maven Version: 3.8.7 is not in the allowed range [3.9,).',
    ],
    [
      'Gradle',
      'stderr',
      ['w/App.java:3: warning: old', "w/App.java:4: error: ';' expected", '  int x', 'FAILURE: Build failed'],
      "w/App.java:4: error: ';' expected",
    ],
    [
      'Gradle without a compiler',
      'stderr',
      ['', 'FAILURE: Build failed with an exception.', '', '* What went wrong:', "Task 'tset' not found."],
      "* What went wrong: Task 'tset' not found.",
    ],
    [
      'Cargo',
      'stderr',
      ['   Compiling x v0.1.0', 'warning: unused', 'error[E0425]: cannot find value `y`', ' --> src/lib.rs:1:1'],
      'error[E0425]: cannot find value `y`',
    ],
    ['Go', 'stderr', ['# m', './a.go:3:5: undefined: x'], './a.go:3:5: undefined: x'],
    [
      'go test -json',
      'stdout',
      [
        '{"ImportPath":"m","Action":"build-output","Output":"# m\\n"}',
        '{"Action":"build-output","Output":"./a.go:9:2: undefined: y\\n"}',
      ],
      './a.go:9:2: undefined: y',
    ],
    ['tsc', 'stdout', ['> x@1.0.0 build', 'src/a.ts(3,5): error TS2322: no'], 'src/a.ts(3,5): error TS2322: no'],
    [
      'tsc for people',
      'stdout',
      ['\u001b[96msrc/a.ts\u001b[0m:3:5 - error TS2322: no'],
      'src/a.ts:3:5 - error TS2322: no',
    ],
    [
      'gcc',
      'stderr',
      ["a.c: In function 'f':", 'a.c:2:1: note: here', "a.c:3:5: error: expected ';'"],
      "a.c:3:5: error: expected ';'",
    ],
    [
      'pytest',
      'stdout',
      ['===== ERRORS =====', 'a.py:1: in <module>', "E   ModuleNotFoundError: No module named 'x'"],
      "ModuleNotFoundError: No module named 'x'",
    ],
  ])('%s', async (_, stream, lines, said) => {
    const all = await reasons(tool(stream, ...lines))
    const withTests = all[0]?.replace('; 0 tests ran, expected at least 1', '')
    expect([withTests, ...all.slice(1)]).toEqual(all.map(() => `exit code 1, expected 0: ${said}`))
  })
  test('a demand of one test is not asked for in the plural', async () => {
    await using workspace = await temporaryWorkspace()
    const reasoning = async (minTests: number) =>
      (await runJudge(testsPass.command('true', { minTests }), aContext({ workspace }))).reasoning
    expect(await reasoning(1)).toBe('no report says that a test ran')
    expect(await reasoning(2)).toBe('no report says that 2 tests ran')
  })
})

describe('messages of checks', () => {
  const message = (report: string) => readTestReport(report).tests[0]?.message
  const jest = (text: string) =>
    JSON.stringify({
      testResults: [{ name: 'a.js', assertionResults: [{ title: 't', status: 'failed', failureMessages: [text] }] }],
    })
  test('have no colours and no stack', () => {
    expect(message(jest('\u001b[2mexpected\u001b[22m 1\n    at f (a.js:1:1)\n    at g (b.js:2:2)'))).toBe('expected 1')
    const xml =
      '<testsuite><testcase name="a"><failure>no: 1\n\tat org.acme.A(A.java:1)</failure></testcase></testsuite>'
    expect(message(xml)).toBe('no: 1')
  })
  test('say that Vitest stopped waiting', () => {
    expect(message(jest('Error: STACK_TRACE_ERROR\n    at task (file:///x.js:1:1)'))).toBe('timed out')
  })
  test.each([
    ["'Expected values to be strictly equal:\\n\\n1 !== 2\\n'", 'Expected values to be strictly equal:\n\n1 !== 2'],
    ['"it\'s \\u00e4 \\x41 \\\\"', "it's ä A \\"],
    ['`both \' and " \\u{1f600}`', 'both \' and " 😀'],
    ["'it''s'", "it's"],
    ["plain 'text' \\n", "plain 'text' \\n"],
  ])('of TAP are unquoted: %s', (value, wanted) => {
    expect(message(`not ok 1 - a\n  ---\n  error: ${value}\n  ...\n1..1`)).toBe(wanted)
  })
  test('keep their lines, but for blank ones', async () => {
    await using workspace = await temporaryWorkspace()
    const yaml = ['  ---', "  error: 'strictly equal:\\n\\n1 !== 2\\n'", '  ...']
    const judge = testsPass.command(tool('stdout', 'not ok 1 - a', ...yaml, '1..1'))
    const { checks } = await runJudge(judge, aContext({ workspace }))
    expect(checks.at(-1)).toMatchObject({ name: 'a', message: 'failed: strictly equal:\n1 !== 2' })
  })
})

describe('the score of a run whose tests are not all known', () => {
  async function scoreOf(report: string, options: TestOptions = {}, code = 1) {
    await using workspace = await temporaryWorkspace({ report })
    const judge = testsPass.command(`cp report out.report; exit ${code}`, { reports: 'out.report', ...options })
    const { status, score } = await runJudge(judge, aContext({ workspace }))
    return [status, score?.value]
  }
  const file = (name: string, status: string, titles: readonly string[]) => ({
    name,
    status,
    message: 'SyntaxError',
    assertionResults: titles.map((title) => ({ title, status: 'passed' })),
  })
  test('is 0 when a file could not be loaded', async () => {
    const report = JSON.stringify({ testResults: [file('a.js', 'failed', []), file('b.js', 'passed', ['x', 'y'])] })
    expect(await scoreOf(report)).toEqual(['fail', 0])
  })
  test.each([
    ['pytest', '<testcase classname="" name="tests.test_b"><error message="collection failure"/></testcase>'],
    ['JUnit 4', '<testcase classname="B" name="initializationError"><error/></testcase>'],
    ['JUnit 5', '<testcase classname="B" name=""><error/></testcase>'],
    ['unittest', '<testcase classname="unittest.loader._FailedTest" name="b"><error/></testcase>'],
  ])('is 0 when %s could not load a suite, and not when a test broke', async (_, broken) => {
    const report = (element: string) => `<testsuite><testcase classname="A" name="x"/>${element}</testsuite>`
    expect(await scoreOf(report(broken))).toEqual(['fail', 0])
    expect(await scoreOf(report('<testcase classname="B" name="y"><error/></testcase>'))).toEqual(['fail', 0.5])
  })
  test('is 0 when the run failed though no test did', async () => {
    expect(await scoreOf('1..1\nok 1 - a\n')).toEqual(['fail', 0])
    expect(await scoreOf('1..2\nok 1 - a\nnot ok 2 - b\n')).toEqual(['fail', 0.5])
    expect(await scoreOf('1..2\nok 1 - a\n')).toEqual(['fail', 0])
  })
  test('is out of the tests that were asked for', async () => {
    expect(await scoreOf('1..1\nok 1 - a\n', { minTests: 4 }, 0)).toEqual(['fail', 0.25])
  })
})

test('a file of node --test that does not load says why, and the others do not make up for it', async () => {
  await using workspace = await temporaryWorkspace({
    'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
    'a.js': 'export const a = (',
    'tests/a.test.js': "import { test } from 'node:test'\nimport '../a.js'\ntest('one', () => {})\n",
    'tests/b.test.js': "import { test } from 'node:test'\ntest('b1', () => {})\ntest('b2', () => {})\n",
  })
  const judgment = await runJudge(testsPass.npm('test'), aContext({ workspace }))
  expect(judgment).toMatchObject({ status: 'fail', score: { value: 0 } })
  expect(judgment.checks.map(({ message }) => message)).toContainEqual(expect.stringContaining('SyntaxError: '))
})

test('a directory that node --test takes for a file, as it does since version 22, says so', async () => {
  const printed = "# Error: Cannot find module '/w/tests'\n#     at load\n# Subtest: tests\n"
  const report = `TAP version 13\n${printed}not ok 1 - tests\n  ---\n  error: 'test failed'\n  ...\n1..1\n`
  await using workspace = await temporaryWorkspace({ report })
  const judgment = await runJudge(testsPass.command('cat report; exit 1'), { workspace })
  expect(judgment.checks.map(({ message }) => message)).toContainEqual(
    expect.stringContaining("Error: Cannot find module '/w/tests'"),
  )
})
