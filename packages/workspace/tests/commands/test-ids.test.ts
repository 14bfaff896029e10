import { spawnSync } from 'node:child_process'
import { runJudge, type Workspace } from '@jurist/core'
import { aContext, memoryWorkspace } from '@jurist/core/testing'
import { type TestOptions, testsPass } from '@jurist/workspace/commands'
import { readOnly } from '@jurist/workspace/internal'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'

const hasTool = (program: string) => spawnSync(program, ['--version']).status === 0
const junit = (...cases: readonly (readonly [string, string])[]) =>
  `<testsuite>${cases.map(([place, name]) => `<testcase classname="${place}" name="${name}"/>`).join('')}</testsuite>`
const jest = (file: string, ...titles: readonly string[]) =>
  JSON.stringify({
    testResults: [
      {
        name: file,
        assertionResults: [{ title: titles.at(-1), ancestorTitles: titles.slice(0, -1), status: 'passed' }],
      },
    ],
  })
const go = (Package: string, Test: string) => `${JSON.stringify({ Action: 'pass', Package, Test, Elapsed: 0 })}\n`

async function judged(report: string, options: TestOptions, reference?: Workspace) {
  await using workspace = await temporaryWorkspace({ report })
  const judge = testsPass.command('cp report out.report', { reports: 'out.report', ...options })
  return await runJudge(judge, aContext({ workspace, reference }))
}

describe('ids as the tools spell them', () => {
  const python = junit(['tests.test_x.TestA', 'test_b[a::b/c.py-1]'], ['tests.test_x', 'test_c'])
  const java = junit(['org.acme.StackTest', 'pops()'], ['org.acme.Outer$Inner', 'nested(int)[2]'])
  const vitest = jest('tests/a.test.ts', 'sum', 'adds > two')
  test.each([
    ['pytest', python, 'tests/test_x.py::TestA::test_b[a::b/c.py-1]'],
    ['pytest', python, './tests/test_x.py::test_c'],
    ['pytest from another root', python, 'test_x.py::test_c'],
    ['unittest', python, 'tests.test_x.test_c'],
    ['unittest for people', python, 'test_c (tests.test_x)'],
    ['unittest since 3.11', python, 'test_c (tests.test_x.test_c)'],
    ['Maven', java, 'org.acme.StackTest#pops'],
    ['Maven', java, 'org.acme.StackTest.pops'],
    ['Maven without the package', java, 'StackTest#pops'],
    ['JUnit 4', java, 'pops(org.acme.StackTest)'],
    ['a nested class', java, 'org.acme.Outer.Inner.nested[2]'],
    ['Vitest', vitest, 'tests/a.test.ts > sum > adds > two'],
    ['Vitest without the file', vitest, 'sum > adds > two'],
    ['Jest', vitest, 'sum › adds > two'],
    ['the full name', vitest, 'sum adds two'],
    ['Go', go('example.com/m/p', 'TestX/some_case'), 'example.com/m/p/TestX/some case'],
    ['Go below its module', go('example.com/m/p', 'TestX/sub'), 'p/TestX/sub'],
    ['Go from its root', go('example.com/m/p', 'TestX/sub'), './p.TestX/sub'],
    ['Go -run', go('example.com/m/p', 'TestX/sub'), 'TestX/sub'],
    ['Cargo', 'ok 1 - parse::tests::reads\n1..1', 'parse::tests::reads'],
  ])('%s: %#', async (_, report, id) => {
    const judgment = await judged(report, { mustPass: [id] })
    expect([judgment.status, judgment.reasoning]).toEqual(['pass', '1 of 1 required tests passed'])
    expect(judgment.metadata['otherFailures']).toEqual([])
  })
  test('a whole name comes before parts of others, and of several the worst decides', async () => {
    const report = `<testsuite><testcase classname="b.A" name="t"/><testcase classname="c.A" name="t"><failure/></testcase></testsuite>`
    expect((await judged(report, { mustPass: ['b.A.t'] })).status).toBe('pass')
    expect((await judged(report, { mustPass: ['A.t'] })).status).toBe('fail')
  })
  test('names of a million spaces are no work', async () => {
    const report = junit([`a${' '.repeat(1_000_000)}`, `b${' '.repeat(1_000_000)}`])
    expect((await judged(report, { mustPass: ['x'] })).status).toBe('fail')
  })
})

describe('an id that no report has', () => {
  const tests = (...names: readonly string[]) => `const add = require('../add.js')
let count = 0
const test = (name, body) => { try { body(); console.log('ok ' + ++count + ' - ' + name) } catch { console.log('not ok ' + ++count + ' - ' + name) } }
const equal = (a, b) => { if (a !== b) throw new Error() }
${names.map((name) => `test('${name}', () => equal(add(1, 2), 3))`).join('\n')}
console.log('1..' + count)`
  const good = 'module.exports = (a, b) => a + b'
  const bad = 'module.exports = (a, b) => a - b'
  const command = [process.execPath, 'tests/run.cjs']
  const overlay = { paths: ['tests'] }

  interface Asked {
    readonly work: { readonly [path: string]: string }
    readonly reference?: { readonly [path: string]: string }
    readonly mustPass: readonly string[]
    readonly isLaid?: boolean
  }
  async function asked({ work, reference, mustPass, isLaid = true }: Asked) {
    await using workspace = await temporaryWorkspace(work)
    await using solution = await temporaryWorkspace(reference ?? {})
    const judge = testsPass.command(command, { mustPass, ...(isLaid ? { overlay } : {}) })
    const context = aContext({ workspace, ...(reference === undefined ? {} : { reference: readOnly(solution) }) })
    const { status, reasoning, checks } = await runJudge(judge, context)
    return {
      status,
      said:
        status === 'error'
          ? reasoning
          : checks
              .filter(({ passed }) => !passed)
              .map(({ message }) => message)
              .join(),
    }
  }
  const unknown = 'no test has the id ads two; the nearest is adds two. Correct mustPass or mustStayPassing.'

  test('is an error of the dataset, though the agent failed, when a run of the reference does not have it', async () => {
    const reference = { 'add.js': good, 'tests/run.cjs': tests('adds two') }
    for (const add of [good, bad])
      expect(await asked({ work: { 'add.js': add }, reference, mustPass: ['ads two'] })).toEqual({
        status: 'error',
        said: unknown,
      })
  })
  test('is a fail when the reference has it', async () => {
    const made = `${tests('adds two')}\nif (add.isFine !== false) test('grows', () => {})\nconsole.log('1..' + count)`
    const reference = { 'add.js': good, 'tests/run.cjs': made.replace("console.log('1..' + count)", '') }
    const work = { 'add.js': `${bad}\nmodule.exports.isFine = false` }
    expect(await asked({ work, reference, mustPass: ['grows'] })).toEqual({ status: 'fail', said: 'grows was not run' })
  })
  test('is a fail when the run broke off, or a file did not load', async () => {
    const reference = { 'add.js': good, 'tests/run.cjs': tests('adds two') }
    for (const add of [
      'throw new Error("no")',
      'process.exit(0)',
      `process.on('exit', () => process.kill(process.pid, 'SIGKILL'));${good}`,
    ])
      expect((await asked({ work: { 'add.js': add }, reference, mustPass: ['ads two'] })).status).toBe('fail')
  })
  test('is a fail without an overlay when the agent renamed the test', async () => {
    const reference = { 'add.js': good, 'tests/run.cjs': tests('adds two') }
    const work = { 'add.js': bad, 'tests/run.cjs': tests('adds twoo') }
    expect(await asked({ work, reference, mustPass: ['adds two'], isLaid: false })).toEqual({
      status: 'fail',
      said: 'adds two was not run; the nearest that is reported: adds twoo',
    })
  })
  test('without anything to compare with is a fail that names the nearest', async () => {
    const work = { 'add.js': good, 'tests/run.cjs': tests('adds two') }
    expect(await asked({ work, mustPass: ['ads two'], isLaid: false })).toEqual({
      status: 'fail',
      said: 'ads two was not run; the nearest that is reported: adds two',
    })
  })

  describe('where the reference has only the tests, their text decides', () => {
    const onlyTests = (...names: readonly string[]) => ({
      'tests/run.cjs': `for (const n of ['a']) console.log(\`1..1\nok 1 - ${names[0]}\`)`,
    })
    const literal = (name: string) => ({
      'tests/run.cjs': `require('../add.js'); console.log("1..1")\nconsole.log("ok 1 - ${name}")`,
    })
    test('no name in it: the dataset is wrong', async () => {
      const reference = memoryWorkspace(literal('adds two'))
      await using workspace = await temporaryWorkspace({ 'add.js': bad })
      const judge = testsPass.command(command, { mustPass: ['ads twoo'], overlay: { ...overlay, from: reference } })
      expect(await runJudge(judge, aContext({ workspace }))).toMatchObject({
        status: 'error',
        failure: { code: 'test-unknown' },
      })
    })
    test('the name is there, or could be made by the program: a fail', async () => {
      const work = `console.log('1..1'); console.log('ok 1 - other'); process.exit(0)`
      for (const reference of [literal('adds two'), onlyTests('a')]) {
        await using workspace = await temporaryWorkspace({ 'add.js': work })
        const from = memoryWorkspace(reference)
        const judge = testsPass.command(command, { mustPass: ['adds two'], overlay: { ...overlay, from } })
        expect((await runJudge(judge, aContext({ workspace }))).status).toBe('fail')
      }
    })
  })

  test.skipIf(!hasTool('pytest'))(
    'pytest: healthy, broken import, and an id that is not there (needs pytest)',
    async () => {
      const source =
        'import pytest\nfrom calc import add\n\nclass TestAdd:\n    @pytest.mark.parametrize("n", [1, 2])\n    def test_adds(self, n):\n        assert add(n, 1) == n + 1\n'
      const solution = { 'calc.py': 'def add(a, b):\n    return a + b\n', 'tests/test_calc.py': source }
      await using reference = await temporaryWorkspace(solution)
      const verdict = async (calc: string, id: string) => {
        await using workspace = await temporaryWorkspace({ 'calc.py': calc })
        const judge = testsPass.pytest('-p', 'no:cacheprovider', { mustPass: [id], overlay, env: { PYTHONPATH: '.' } })
        return (await runJudge(judge, aContext({ workspace, reference: readOnly(reference) }))).status
      }
      const healthy = solution['calc.py']
      expect(await verdict(healthy, 'tests/test_calc.py::TestAdd::test_adds[2]')).toBe('pass')
      expect(await verdict(healthy, 'tests/test_calc.py::TestAdd::test_adds[3]')).toBe('error')
      expect(await verdict('raise ImportError()', 'tests/test_calc.py::TestAdd::test_adds[3]')).toBe('fail')
      expect(
        await verdict(
          'import pytest\npytest.skip("no", allow_module_level=True)',
          'tests/test_calc.py::TestAdd::test_adds[2]',
        ),
      ).toBe('fail')
    },
  )
})
