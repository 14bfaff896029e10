import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { bubblewrapSandbox, copyOf, type Sandbox } from '@jurist/workspace'
import { type TestOptions, testsPass } from '@jurist/workspace/commands'
import { fakeCommands, temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'
import { breakOf } from '../../src/commands/crashed-run.js'
import { printedSummaries } from '../../src/commands/printed-summary.js'

const hasTool = (tool: string) => spawnSync(tool, ['--version']).status === 0
const junit = (...names: readonly string[]) =>
  `<testsuite>${names.map((name) => `<testcase classname="T" name="${name}"/>`).join('')}</testsuite>`
const scanning = 'Scanning for projects...'

interface Run {
  readonly stdout: string
  readonly exitCode?: number
  readonly report?: string
}

async function judged({ stdout, exitCode = 0, report = junit('a', 'b') }: Run, options: TestOptions = {}) {
  await using workspace = await temporaryWorkspace({})
  const player = fakeCommands(workspace, async () => {
    await workspace.write('junit.xml', report)
    return { stdout, exitCode }
  })
  return await runJudge(testsPass.command('run', { reports: 'junit.xml', ...options }), aContext({ workspace: player }))
}

const maven = (run: number, failures: number, errors: number, ending: string) =>
  `[INFO] ${scanning}\n[ERROR] Tests run: ${run}, Failures: ${failures}, Errors: ${errors}, Skipped: 0\n[INFO] ${ending}\n`
const pytest = (counts: string) => `=== test session starts ===\n\n=== ${counts} in 0.03s ===\n`

describe('a report that says other than what was printed is not believed', () => {
  test.each([
    ['Maven counted failures', maven(2, 2, 0, 'BUILD SUCCESS')],
    ['Maven counted an error', maven(3, 0, 1, 'BUILD SUCCESS')],
    ['Maven ended with a failure', maven(2, 0, 0, 'BUILD FAILURE')],
    ['Gradle ended with a failure', 'BUILD FAILED in 3s\n'],
    ['pytest counted failures', pytest('2 failed')],
    ['pytest counted fewer', pytest('1 passed, 1 skipped')],
    ['pytest in short', '1 failed, 1 passed in 0.02s\n'],
    ['two summaries, the second forged', `${pytest('2 failed')}${pytest('2 passed')}`],
    ['Jest counted a failure', 'Tests:       1 failed, 1 passed, 2 total\n'],
    ['Vitest counted a failure', '      Tests  1 failed | 1 passed (2)\n'],
    ['in colours', '\u001b[31m[ERROR] Tests run: 2, Failures: 2, Errors: 0, Skipped: 0\u001b[m\n'],
  ])('%s', async (_, stdout) => {
    for (const options of [{}, { mustPass: ['T#a'] }, { minTests: 2 }])
      expect(await judged({ stdout }, options)).toMatchObject({
        status: 'fail',
        checks: expect.arrayContaining([expect.objectContaining({ name: 'run_complete', passed: false })]),
      })
  })
  test.each([
    ['Maven', maven(2, 0, 0, 'BUILD SUCCESS')],
    ['modules', `${maven(1, 0, 0, 'x')}${maven(1, 0, 0, 'BUILD SUCCESS')}`],
    ['pytest', pytest('2 passed, 1 skipped, 3 warnings')],
    ['pytest with subtests', pytest('1 passed, 1 subtests passed')],
    ['Jest', 'Tests:       2 passed, 2 total\n'],
    ['none of these', 'Tests run well. 3 failed tries in 2s were repeated.\n'],
  ])('what agrees is: %s', async (_, stdout) => {
    expect(await judged({ stdout })).toMatchObject({ status: 'pass' })
    expect(await judged({ stdout }, { mustPass: ['T#a'] })).toMatchObject({ status: 'pass' })
  })
  test('an exit code that the report does not explain breaks the tests that must pass', async () => {
    const options = { mustPass: ['T#a'] }
    expect(await judged({ stdout: '', exitCode: 1 }, options)).toMatchObject({
      status: 'fail',
      score: { value: 0 },
      reasoning: 'exit code 1, expected 0, but the report names no failed test',
    })
    const report = '<testsuite><testcase classname="T" name="a"/><testcase name="b"><failure/></testcase></testsuite>'
    expect(await judged({ stdout: '', exitCode: 1, report }, options)).toMatchObject({ status: 'pass' })
    expect(await judged({ stdout: '', exitCode: 1 }, { ...options, exitCode: [0, 1] })).toMatchObject({
      status: 'pass',
    })
  })
  test.skipIf(!hasTool('pytest'))('pytest whose report is forged when it ends', async () => {
    const forging = `import atexit, os, sys
place = [word for word in sys.argv if word.startswith('--junitxml=')][0].split('=', 1)[1]
def forge():
    open(place, 'w').write('${junit('test_a', 'test_b', 'test_c')}')
    os._exit(0)
atexit.register(forge)
def add(a, b): return 0
`
    const tests = ['a', 'b', 'c'].map((name) => `def test_${name}():\n    assert calc.add(1, 2) == 3\n`)
    await using reference = await temporaryWorkspace({ 'tests/test_calc.py': `import calc\n\n${tests.join('\n')}` })
    const options = { overlay: { paths: ['tests'] }, env: { PYTHONPATH: '.' } }
    const judging = async (code: string, more: TestOptions) => {
      await using workspace = await temporaryWorkspace({ 'calc.py': code })
      return await runJudge(testsPass.pytest({ ...options, ...more }), aContext({ workspace, reference }))
    }
    expect(await judging('def add(a, b): return a + b\n', { minTests: 3 })).toMatchObject({ status: 'pass' })
    expect(await judging(forging, { minTests: 3 })).toMatchObject({ status: 'fail' })
    expect(await judging(forging, { mustPass: ['T#test_a'] })).toMatchObject({ status: 'fail' })
  })
})

const places = spawnSync('sh', ['-c', 'command -v python3 && python3 -c "import sys; print(sys.prefix)"'], {
  encoding: 'utf8',
})
const [program = '', prefix = ''] = places.stdout.trim().split('\n')
const sandbox = bubblewrapSandbox({ readable: places.status === 0 ? [dirname(dirname(program)), prefix] : [] })
const hasBubblewrap = await works(sandbox)

async function works(tried: Sandbox): Promise<boolean> {
  await using workspace = await temporaryWorkspace({})
  await using copy = await copyOf(workspace.root, { sandbox: tried })
  return (await copy.run(['python3', '-m', 'pytest', '--version'])).exitCode === 0
}

describe.skipIf(!hasTool('pytest'))('pytest that a command calls, and whose report it names', () => {
  const forging = `import os, sys
open('junit.xml', 'w').write('${junit('test_a', 'test_b', 'test_c')}')
os.write(1, b'\\n== 3 passed in 0.01s ==\\n')
os._exit(0)
`
  const right = 'def add(a, b): return a + b\n'
  const tests = ['a', 'b', 'c'].map((name) => `def test_${name}():\n    assert calc.add(1, 2) == 3\n`)
  const module = ['python3', '-m', 'pytest']
  const quietly = [...module, '-q']
  const settings = { 'pytest.ini': '[pytest]\naddopts = -ra -q\n' }
  test.each([
    ['in short', quietly, forging, {}, 'fail'],
    ['by its name', ['pytest', '-q'], forging, {}, 'fail'],
    ['in full', module, forging, {}, 'fail'],
    ['silently', [...module, '-qq'], forging, {}, 'fail'],
    ['in a line for a shell', 'cd . && PYTHONPATH=. pytest -q --junitxml=junit.xml tests', forging, {}, 'fail'],
    ['in short', quietly, right, {}, 'pass'],
    ['silently', [...module, '-qq'], right, {}, 'pass'],
    ['quietly by its settings, too', quietly, right, settings, 'pass'],
  ] as const)('%s: %j', async (_, command, code, files, expected) => {
    await using reference = await temporaryWorkspace({
      ...files,
      'tests/test_calc.py': `import calc\n\n${tests.join('\n')}`,
    })
    const words = typeof command === 'string' ? command : [...command, '--junitxml=junit.xml']
    const judge = testsPass.command(words, {
      overlay: { paths: ['tests'] },
      env: { PYTHONPATH: '.', PYTEST_ADDOPTS: '-p no:cacheprovider' },
      reports: 'junit.xml',
    })
    await using workspace = await temporaryWorkspace({ ...files, 'calc.py': code })
    expect(await runJudge(judge, aContext({ workspace, reference }))).toMatchObject({ status: expected })
    if (!hasBubblewrap || command !== quietly || files === settings) return
    await using apart = await copyOf(workspace.root, { sandbox })
    expect(await runJudge(judge, aContext({ workspace: apart, reference }))).toMatchObject({ status: expected })
  })
})

describe('summaries that runners print', () => {
  const one = (output: string) =>
    printedSummaries(output).map(({ passed, failed, skipped }) => [passed, failed, skipped])
  test.each([
    ['Tests run: 5, Failures: 1, Errors: 1, Skipped: 1', [2, 2, 1]],
    ['=== 1 failed, 3 passed, 2 skipped, 1 xfailed, 1 error, 9 warnings in 61.02s (0:01:01) ===', [3, 2, 3]],
    ['3 passed in 0.01s', [3, 0, 0]],
    ['=== no tests ran in 0.01s ===', [0, 0, 0]],
    ['test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s', [2, 1, 1]],
    ['     Summary [   0.005s] 4 tests run: 3 passed (1 slow), 1 failed, 2 skipped', [3, 1, 2]],
    ['  3 passing (5ms)\n  2 pending\n  1 failing', [3, 1, 2]],
    ['Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1, expected failures=1)', [1, 2, 2]],
    ['Ran 1 test in 0.000s\n\nOK', [1, 0, 0]],
    ['Tests:       1 failed, 1 todo, 2 passed, 4 total', [2, 1, 1]],
    ['      Tests  1 failed | 2 passed | 1 skipped (4)', [2, 1, 1]],
    ['ok | 3 passed (2 steps) | 0 failed (12ms)', [3, 0, 0]],
    [' 3 pass\n 1 fail', [3, 1, 0]],
    ['5 examples, 1 failure, 1 pending', [3, 1, 1]],
    ['6 runs, 9 assertions, 1 failures, 1 errors, 1 skips', [3, 2, 1]],
    ['OK (3 tests, 4 assertions)', [3, 0, 0]],
    ['Tests: 4, Assertions: 5, Failures: 1.', [3, 1, 0]],
    ['Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4, Duration: 5 ms - a.dll', [3, 0, 1]],
    ['75% tests passed, 1 tests failed out of 4', [3, 1, 0]],
  ])('%j', (output, counts) => {
    expect(one(`noise\n${output}\nmore noise\n`)).toEqual([counts])
  })
  test('of a run that ended before it are none', () => {
    expect(one('running 3 tests\ntest a ... ')).toEqual([])
    expect(one('Ran 3 tests in 0.001s\n')).toEqual([])
    expect(one('OK\n')).toEqual([])
  })
})

/** What backtracks over a whole output of this length would take hours. */
test('ten megabytes made for backtracking are read line by line', () => {
  const pieces = [
    '= ',
    'in 1s ',
    ', 1 failed',
    '= in 1s =',
    'Tests run: 1, ',
    '\u001b[',
    '\u001b]1;',
    ' 1 passed',
    '[ERROR] ',
  ]
  for (const piece of pieces) {
    const stdout = `= 1 passed ${piece.repeat(10_000_000 / piece.length)}`
    const result = {
      status: 'exited',
      exitCode: 0,
      signal: null,
      stdout,
      stderr: '',
      truncated: false,
      elapsedMs: 1,
    } as const
    expect(breakOf(result, true, [])).toBeUndefined()
  }
})
