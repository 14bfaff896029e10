import { runJudge, type Workspace } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { type SwebenchOptions, swebenchGrade } from '@jurist/workspace/commands'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'

/** What a runner prints that reads its answers from a file of the work. */
const command = ['sh', '-c', 'cat answer.txt tests.txt 2>/dev/null; test ! -f broken']

async function judged(
  files: Readonly<Record<string, string>>,
  options: Omit<SwebenchOptions, 'command'>,
  reference?: Workspace,
) {
  await using workspace = await temporaryWorkspace(files)
  const given = reference === undefined ? {} : { reference }
  return await runJudge(swebenchGrade({ command, ...options }), aContext({ workspace, ...given }))
}

describe('a command is graded', () => {
  test('by what it prints', async () => {
    const options = { failToPass: ['a'], passToPass: ['b'], parser: 'pytest' }
    const good = await judged({ 'answer.txt': 'PASSED a\nSKIPPED b\n' }, options)
    expect([good.status, good.reasoning]).toEqual([
      'pass',
      'RESOLVED_FULL: 1 of 1 FAIL_TO_PASS and 1 of 1 PASS_TO_PASS tests are right',
    ])
    const bad = await judged({ 'answer.txt': 'FAILED a - 3 is not 4\n', broken: '' }, options)
    expect(bad.status).toBe('fail')
    expect(bad.checks).toMatchObject([
      { name: 'a', passed: false, message: 'failed' },
      { name: 'b', passed: false, message: 'is not in the log' },
    ])
  })

  test('by its exit code too', async () => {
    const forged = await judged({ 'answer.txt': 'PASSED a\n', broken: '' }, { failToPass: ['a'], parser: 'pytest' })
    expect([forged.status, forged.reasoning]).toEqual([
      'fail',
      'the tests ended with exit code 1, but none is reported as failed',
    ])
  })

  test('and not believed where its runner did not come to its end', async () => {
    const session = (end: string) => `=== test session starts ===\nPASSED a\n${end}`
    const options = { failToPass: ['a'], parser: 'pytest' }
    expect((await judged({ 'answer.txt': session('=== 1 passed in 0.1s ===\n') }, options)).status).toBe('pass')
    const left = await judged({ 'answer.txt': session('') }, options)
    expect([left.status, left.reasoning]).toEqual(['fail', 'pytest began and did not finish'])
    const killed = swebenchGrade({ ...options, command: 'echo PASSED a; kill -9 $$' })
    await using workspace = await temporaryWorkspace({})
    expect((await runJudge(killed, aContext({ workspace }))).status).toBe('fail')
    const late = swebenchGrade({ ...options, command: 'echo PASSED a; sleep 60', timeoutMs: 500 })
    expect((await runJudge(late, aContext({ workspace }))).reasoning).toBe('timed out after 500 ms')
  })

  test('by its report, in which ids may be spelled as tools do', async () => {
    const report = '<testsuite><testcase classname="tests.test_a" name="test_b"/></testsuite>'
    const options = { failToPass: ['tests/test_a.py::test_b'], reports: 'junit.xml' }
    const given = { command: 'cp report.txt junit.xml' }
    await using workspace = await temporaryWorkspace({ 'report.txt': report })
    const judgment = await runJudge(swebenchGrade({ ...options, ...given }), aContext({ workspace }))
    expect([judgment.status, judgment.metadata['resolution']]).toEqual(['pass', 'RESOLVED_FULL'])
  })

  test('with the tests of the reference', async () => {
    await using reference = await temporaryWorkspace({ 'tests.txt': 'FAILED a\n', 'answer.txt': '' })
    const files = { 'tests.txt': 'PASSED a\n', 'answer.txt': '', broken: '' }
    const options = { failToPass: ['a'], parser: 'pytest', overlay: { paths: ['tests.txt'] } }
    const judgment = await judged(files, options, reference)
    expect([judgment.status, judgment.metadata['resolution']]).toEqual(['fail', 'RESOLVED_NO'])
  })
})

describe('a machine that is to blame', () => {
  const options = { failToPass: ['a'], parser: 'pytest' }
  test('is an error, where the reference shows it too or is missing', async () => {
    const files = { 'answer.txt': 'Error response from daemon: no space\n' }
    expect((await judged(files, options)).status).toBe('error')
    await using reference = await temporaryWorkspace(files)
    const judgment = await judged(files, options, reference)
    expect([judgment.status, judgment.reasoning]).toEqual([
      'error',
      'no result of a test, and nothing shows that tests ran; the log shows container_unavailable',
    ])
  })

  test('is no excuse where the tests run with the reference', async () => {
    await using reference = await temporaryWorkspace({ 'answer.txt': 'PASSED a\n' })
    const judgment = await judged({ 'answer.txt': 'Killed\n' }, options, reference)
    expect(judgment.status).toBe('fail')
    expect(judgment.reasoning).toContain('but the tests run with the reference')
    await using workspace = await temporaryWorkspace({ 'answer.txt': 'Killed\n' })
    await using before = await temporaryWorkspace({ 'answer.txt': 'FAILED a\n', broken: '' })
    const alone = await runJudge(swebenchGrade({ command, ...options }), aContext({ workspace, before }))
    expect([alone.status, alone.reasoning]).toEqual(['fail', expect.stringContaining('with what the agent was given')])
  })
})

test('a recorded report is graded', async () => {
  const report = `<testsuite><testcase classname="tests.test_a" name="b[1]"/>
    <testcase classname="tests.test_a" name="c"><failure message="3 is not 4"/></testcase></testsuite>`
  await using workspace = await temporaryWorkspace({ 'junit.xml': report, 'empty.xml': '<testsuite/>', 'a.txt': '?' })
  const graded = (options: Omit<SwebenchOptions, 'command'>) =>
    runJudge(swebenchGrade(options), aContext({ workspace }))
  const [b, c] = ['tests/test_a.py::b[1', 'tests/test_a.py::c']
  expect((await graded({ report: 'junit.xml', failToPass: [`${b}]`] })).status).toBe('pass')
  const bad = await graded({ report: 'junit.xml', failToPass: [`${b}]`, c] })
  expect([bad.status, bad.checks[0]?.message]).toEqual(['fail', 'failed: 3 is not 4'])
  const empty = await graded({ report: 'empty.xml', failToPass: [c] })
  expect([empty.status, empty.reasoning]).toEqual(['fail', 'no result of a test, and nothing shows that tests ran'])
  expect((await graded({ report: 'a.txt', failToPass: [c] })).status).toBe('error')
})

test.each([
  [{ failToPass: ['a'] }, 'swebenchGrade needs one of "log"'],
  [{ failToPass: ['a'], log: 'a.txt', command: ['true'] }, 'swebenchGrade needs one of "log"'],
  [{ log: 'a.txt' }, 'swebenchGrade needs "failToPass"'],
  [{ failToPass: ['a'], log: 'a.txt', parser: 'nose' }, 'parser'],
  [{ failToPass: ['a'], log: '../a.txt' }, '../a.txt'],
])('%j is refused', (options, problem) => {
  expect(() => swebenchGrade(options as unknown as SwebenchOptions)).toThrow(problem)
})
