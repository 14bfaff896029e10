import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { infoOf, runJudge, type Workspace } from '@jurist/core'
import { aContext, memoryWorkspace } from '@jurist/core/testing'
import { localSandbox, localWorkspace, type Sandbox } from '@jurist/workspace'
import { type TestOptions, testsPass } from '@jurist/workspace/commands'
import { readOnly } from '@jurist/workspace/internal'
import { type TemporaryFile, temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'
import { withEnoughTime } from '../enough-time.js'

const print = (...lines: readonly string[]) => `process.stdout.write(${JSON.stringify(`${lines.join('\n')}\n`)})\n`
const tap = (...lines: readonly string[]) => print('TAP version 13', ...lines)
const runner = [process.execPath, 'run.js']

interface Given extends TestOptions {
  readonly files?: { readonly [path: string]: TemporaryFile }
  readonly reference?: Workspace
  readonly command?: string | readonly string[]
}

async function judged(script: string, { files, reference, command = runner, ...options }: Given = {}) {
  await using workspace = await temporaryWorkspace({ 'run.js': script, ...files })
  const context = aContext({ workspace, reference })
  return await runJudge(testsPass.command(command, options), context)
}

describe('testsPass with TAP on stdout', () => {
  test('passes when every test passed, and counts them', async () => {
    const judgment = await judged(tap('ok 1 - adds', 'ok 2 - later # SKIP no', '1..2'))
    expect(judgment).toMatchObject({
      status: 'pass',
      score: { type: 'numerical', value: 1 },
      reasoning: '1 of 1 tests passed',
      metadata: { report: 'tap', passed: 1, failed: 0, errored: 0, skipped: 1, total: 2, exitCode: 0 },
    })
    expect(judgment.checks.map(({ name, passed }) => [name, passed])).toEqual([
      ['command_execution', true],
      ['adds', true],
      ['later', true],
    ])
    expect(infoOf(testsPass.command('true'))).toMatchObject({ name: 'testsPass.command', kind: 'deterministic' })
  })
  test('a faked exit code does not hide a failed test', async () => {
    const judgment = await judged(tap('ok 1 - adds', 'not ok 2 - fails', '1..2'))
    expect(judgment).toMatchObject({ status: 'fail', score: { value: 0.5 }, reasoning: '1 of 2 tests failed' })
    expect(judgment.checks[1]).toMatchObject({ name: 'fails', passed: false, message: 'failed' })
  })
  test('an exit code other than the expected one fails whatever the report says', async () => {
    const script = `${tap('ok 1 - adds', '1..1')}process.exitCode = 3`
    expect(await judged(script)).toMatchObject({ status: 'fail', reasoning: 'exit code 3, expected 0' })
    expect((await judged(script, { exitCode: [0, 3] })).status).toBe('pass')
  })
  test('a report that says that nothing ran fails', async () => {
    for (const script of [tap('1..0'), tap('ok 1 - a # SKIP', '1..1')])
      expect(await judged(script)).toMatchObject({ status: 'fail', reasoning: '0 tests ran, expected at least 1' })
    expect((await judged(tap('1..0'), { minTests: 0 })).status).toBe('pass')
    expect((await judged(tap('ok 1', '1..1'), { minTests: 2 })).status).toBe('fail')
  })
  test('a run that ends in the middle fails, also with exit code 0', async () => {
    for (const script of [
      `${tap('ok 1 - adds')}process.exit(0)`,
      tap('1..2', 'ok 1 - adds'),
      tap('ok 1 - adds', 'Bail out! database gone', '1..1'),
    ]) {
      const judgment = await judged(script)
      expect(judgment).toMatchObject({ status: 'fail', metadata: { errored: 1 } })
      expect(judgment.checks.filter(({ passed }) => !passed).map(({ name }) => name)).toEqual(['(plan)'])
    }
  })
  test.each([
    ['a range', ['Checking the range', '1..10', '3 examples, 0 failures']],
    ['the answer of a server', ['ok 204 DELETE /items/1', 'All 3 checks passed']],
    ['a list', ['ok 1 item was read', 'ok, the rest is done', 'ok: done', 'ok  \tm/p\t0.1s']],
    ['an attempt', ['not ok yet, once more', 'ok']],
  ])('lines that look like TAP are no report: %s', async (_, lines) => {
    const judgment = await judged(print(...lines))
    expect(judgment.status).toBe('pass')
    expect(judgment.metadata['report']).not.toBe('tap')
  })
  test.each([
    ['before a stream', ['1..10', 'TAP version 13', 'ok 1 - adds', '1..1']],
    ['after one', ['TAP version 13', 'ok 1 - adds', '1..1', '1..10', 'ok 204 DELETE /items/1', 'ok  \tm/p\t0.1s']],
    ['within one', ['TAP version 13', '# 1..10', 'ok, it begins', 'ok 1 - adds', '1..1']],
    ['before a plan', ['1..10', 'ok 204 DELETE /items/1', '1..1', 'ok 1 - adds']],
    ['before a point', ['ok 204 DELETE /items/1', 'ok 1 - adds', '1..1']],
    ['between two', ['1..1', 'ok 1 - adds', 'ok 204 DELETE /items/1', 'TAP version 14', '1..1', 'ok 1 - adds']],
  ])('nor are they part of one: %s', async (_, lines) => {
    expect(await judged(print(...lines))).toMatchObject({ status: 'pass', metadata: { report: 'tap', total: 1 } })
  })
  test('a stream that ends early among others fails', async () => {
    for (const lines of [
      ['TAP version 13', 'ok 1 - a', '1..1', 'TAP version 13', 'ok 1 - b'],
      ['1..1', 'ok 1 - a', '1..2'],
      ['ok 1 - a', 'ok 2 - b'],
      ['ok 1 a', 'ok 2 b', '1..3'],
    ])
      expect(await judged(print(...lines))).toMatchObject({ status: 'fail', metadata: { errored: 1 } })
  })
  test('without a report the exit code decides alone', async () => {
    const judgment = await judged('console.log("fine")')
    expect(judgment).toMatchObject({ status: 'pass', score: { value: 1 }, metadata: { report: null } })
    expect(judgment.metadata).not.toHaveProperty('total')
    expect(await judged('process.exit(1)')).toMatchObject({ status: 'fail', score: { value: 0 } })
  })
  test('a number of tests that was asked for needs a report', async () => {
    expect((await judged('console.log("fine")', { minTests: 1 })).status).toBe('fail')
  })
  test('a timeout fails and keeps what was printed', async () => {
    const [judgment, timeoutMs] = await withEnoughTime(
      700,
      (limit) => judged(`${tap('ok 1 - adds')}setTimeout(() => {}, 600_000)`, { timeoutMs: limit }),
      ({ metadata }) => Boolean(metadata['output']),
    )
    expect(judgment).toMatchObject({
      status: 'fail',
      reasoning: `timed out after ${timeoutMs} ms`,
      metadata: { status: 'timed-out', output: 'TAP version 13\nok 1 - adds\n' },
    })
  })
  test('a program that is missing is an error', async () => {
    const judgment = await judged('', { command: ['no-such-program-here'] })
    expect(judgment).toMatchObject({ status: 'error', failure: { code: 'not-started' } })
  })
  test('reads what node --test prints', async () => {
    const script = `const test = require('node:test')
test('adds # one', () => {})
test('fails', () => { throw new Error('1 is not 2') })
test('suite', async (t) => { await t.test('inner', () => {}) })`
    const judgment = await judged('', {
      command: [process.execPath, '--test', '--test-reporter=tap', 'a.test.js'],
      files: { 'a.test.js': script },
    })
    expect(judgment.status).toBe('fail')
    expect(judgment.checks.map(({ name, message }) => [name, message])).toEqual([
      ['command_execution', 'exit code 1, expected 0'],
      ['fails', 'failed: 1 is not 2'],
      ['adds # one', 'passed'],
      ['suite', 'passed'],
    ])
  })
  test('shows at most 500 checks, the failed ones first', async () => {
    const lines = Array.from({ length: 600 }, (_, index) => `${index === 599 ? 'not ' : ''}ok ${index + 1} - t${index}`)
    const judgment = await judged(tap(...lines, '1..600'))
    expect(judgment.checks).toHaveLength(501)
    expect(judgment.checks[1]?.name).toBe('t599')
    expect(judgment.metadata).toMatchObject({ omittedChecks: 100, total: 600 })
  })
})

describe('sets of tests', () => {
  const script = `${tap('ok 1 - old', 'ok 2 - new', 'not ok 3 - flaky', 'ok 4 - later # SKIP', '1..4')}process.exitCode = 1`
  test('decide alone, whatever the exit code and other tests', async () => {
    const judgment = await judged(script, { mustPass: ['new'], mustStayPassing: ['old', 'new'] })
    expect(judgment).toMatchObject({
      status: 'pass',
      score: { value: 1 },
      reasoning: '2 of 2 required tests passed',
      metadata: { otherFailures: ['flaky'], exitCode: 1 },
    })
    expect(judgment.checks.map(({ name }) => name)).toEqual(['new', 'old'])
  })
  test('want each test to have run', async () => {
    const judgment = await judged(script, { mustPass: ['new', 'gone', 'later', 'flaky'] })
    expect(judgment).toMatchObject({ status: 'fail', score: { value: 0.25 } })
    expect(judgment.checks.map(({ name, message }) => [name, message])).toEqual([
      ['gone', 'gone was not run'],
      ['later', 'later was not run'],
      ['flaky', 'failed'],
      ['new', 'passed'],
    ])
  })
  test('fail without a report', async () => {
    const judgment = await judged('', { mustPass: ['new'] })
    expect(judgment).toMatchObject({ status: 'fail', metadata: { report: null } })
  })
})

describe('an overlay', () => {
  const hidden = `const { add } = require('../add.js')
process.stdout.write(add(1, 2) === 3 ? 'ok 1 - adds\\n1..1\\n' : 'not ok 1 - adds\\n1..1\\n')`
  const files = (add: string) => ({
    'add.js': `exports.add = (a, b) => ${add}`,
    'tests/hidden.js': 'console.log("ok 1 - adds\\n1..1")',
    'tests/setup.js': '',
  })
  const options: TestOptions & Given = { command: [process.execPath, 'tests/hidden.js'], overlay: { paths: ['tests'] } }

  test('replaces what the agent made of the tests', async () => {
    const reference = memoryWorkspace({ 'tests/hidden.js': hidden })
    const before = await readdir(tmpdir())
    expect(await judged('', { ...options, files: files('a + b'), reference })).toMatchObject({ status: 'pass' })
    expect(await judged('', { ...options, files: files('a - b'), reference })).toMatchObject({ status: 'fail' })
    const after = (await readdir(tmpdir())).filter((name) => name.startsWith('jurist-') && !before.includes(name))
    expect(after.filter((name) => existsSync(`${tmpdir()}/${name}/tests/hidden.js`))).toEqual([])
  })
  test('removes what the agent added to a directory, and leaves the workspace alone', async () => {
    await using workspace = await temporaryWorkspace(files('a + b'))
    const reference = memoryWorkspace({ 'tests/deep/hidden.js': '' })
    const list = 'find tests | sort; rm -rf add.js'
    const judge = testsPass.command(list, { overlay: { paths: ['tests'] } })
    const judgment = await runJudge(judge, aContext({ workspace, reference }))
    expect(judgment.metadata['output']).toBe('tests\ntests/deep\ntests/deep/hidden.js\n')
    expect(await workspace.exists('add.js')).toBe(true)
    expect(await workspace.exists('tests/setup.js')).toBe(true)
  })
  test('is not led astray by links, and keeps what can be executed', async () => {
    await using workspace = await temporaryWorkspace({ 'lib/x': 'mine', tests: { link: 'lib' } })
    await using from = await temporaryWorkspace({ 'tests/x': { executable: '#!/bin/sh\necho theirs' } })
    const judge = testsPass.command('tests/x; cat lib/x', { overlay: { from: readOnly(from), paths: ['tests/x'] } })
    const judgment = await runJudge(judge, aContext({ workspace }))
    expect(judgment.metadata['output']).toBe('theirs\nmine')
  })
  test('runs in the sandbox and the environment of the workspace', async () => {
    await using files = await temporaryWorkspace({ mine: '' })
    const launched: string[] = []
    const local = localSandbox()
    const sandbox: Sandbox = {
      ...local,
      name: 'counting',
      launch(command) {
        launched.push(command.root)
        return local.launch(command)
      },
    }
    await using workspace = localWorkspace(files.root, { sandbox, environment: { set: { GREETING: 'hi' } } })
    const overlay = { from: memoryWorkspace({ theirs: '' }), paths: ['theirs'] }
    const judge = testsPass.command('ls; echo $GREETING', { overlay })
    const judgment = await runJudge(judge, aContext({ workspace }))
    expect(judgment.metadata['output']).toBe('mine\ntheirs\nhi\n')
    expect(launched).toHaveLength(1)
    expect(launched).not.toContain(files.root)
  })
  test('is not stopped by a link that leads out of the workspace', async () => {
    const reference = memoryWorkspace({ 'tests/hidden.js': hidden })
    const led = { ...files('a - b'), outside: { link: '/etc' } }
    expect(await judged('', { ...options, files: led, reference })).toMatchObject({ status: 'fail' })
  })
  test('is refused by a workspace that does not show where its commands run', async () => {
    await using files = await temporaryWorkspace()
    const workspace: Workspace = { ...memoryWorkspace(), root: files.root }
    const judge = testsPass.command('true', { overlay: { from: memoryWorkspace({ a: '' }), paths: ['a'] } })
    const judgment = await runJudge(judge, aContext({ workspace }))
    expect(judgment).toMatchObject({ status: 'error', failure: { code: 'sandbox-unavailable' } })
  })
  test('is an error without a directory, a reference, or the file', async () => {
    const judge = testsPass.command('true', options.overlay === undefined ? {} : { overlay: options.overlay })
    const reference = memoryWorkspace({ 'other.js': '' })
    await using workspace = await temporaryWorkspace()
    expect(await runJudge(judge, aContext({ reference: memoryWorkspace({ 'tests/a': '' }) }))).toMatchObject({
      status: 'error',
      failure: { code: 'provision-failed' },
    })
    expect(await runJudge(judge, aContext({ workspace }))).toMatchObject({ failure: { code: 'not-found' } })
    expect(await runJudge(judge, aContext({ workspace, reference }))).toMatchObject({ failure: { code: 'not-found' } })
  })
})

describe('bad options are refused when the judge is made', () => {
  test.each<[string, unknown]>([
    ['unknown', { test: 1 }],
    ['timeoutMs', { timeoutMs: -1 }],
    ['minTests', { minTests: 0.5 }],
    ['mustPass', { mustPass: 'a' }],
    ['reports', { reports: [] }],
    ['overlay without paths', { overlay: {} }],
    ['overlay with no path', { overlay: { paths: [] } }],
    ['overlay of everything', { overlay: { paths: ['.'] } }],
    ['trustWrapper', { trustWrapper: 'before' }],
  ])('%s', (_, options) => {
    expect(() => testsPass.command('true', options as TestOptions)).toThrow(
      expect.objectContaining({ code: 'option-invalid' }),
    )
  })
  test('paths of the overlay', () => {
    expect(() => testsPass.command('true', { overlay: { paths: ['../a'] } })).toThrow(
      expect.objectContaining({ code: 'path-escape' }),
    )
  })
})

describe('report files', () => {
  const xml = (...cases: readonly string[]) => `<testsuite>${cases.join('')}</testsuite>`
  const passing = '<testcase classname="C" name="a"/>'
  const failing = '<testcase classname="C" name="b"><failure message="no"/></testcase>'
  const write = (path: string, text: string) =>
    `{ const fs = require('fs'); fs.mkdirSync(require('path').dirname('${path}'), { recursive: true });
fs.writeFileSync('${path}', ${JSON.stringify(text)}) }\n`

  test('are read where build tools write them, all of them', async () => {
    const script = write('a/target/surefire-reports/TEST-A.xml', xml(passing)) + write('junit.xml', xml(failing))
    const judgment = await judged(script)
    expect(judgment).toMatchObject({ status: 'fail', metadata: { report: 'junit', passed: 1, failed: 1 } })
  })
  test('are deleted first: what the agent left is no evidence', async () => {
    const files = { 'target/surefire-reports/TEST-A.xml': xml(passing) }
    expect(await judged('', { files })).toMatchObject({ metadata: { report: null } })
    expect(await judged('', { files, mustPass: ['C#a'] })).toMatchObject({ status: 'fail' })
    await using workspace = await temporaryWorkspace(files)
    await runJudge(testsPass.command('true'), aContext({ workspace }))
    expect(await workspace.exists('target/surefire-reports/TEST-A.xml')).toBe(false)
  })
  test('that cannot be deleted make the judge err', async () => {
    await using workspace = await temporaryWorkspace({ 'junit.xml': xml(passing) })
    const judgment = await runJudge(testsPass.command('true'), aContext({ workspace: readOnly(workspace) }))
    expect(judgment).toMatchObject({ status: 'error', failure: { code: 'read-only' } })
  })
  test('are looked for by the globs that were given, and nowhere else', async () => {
    const script = `${write('out/deep/r.xml', xml(passing))}${write('junit.xml', xml(failing))}${tap('not ok 1', '1..1')}`
    const judgment = await judged(script, { reports: 'out/**/*.xml' })
    expect(judgment).toMatchObject({ status: 'pass', metadata: { report: 'junit', total: 1 } })
    expect((await judged(script, { reports: ['no.xml', 'out/deep/*.xml'] })).status).toBe('pass')
  })
  test('are found in dependencies where a glob begins there', async () => {
    const report = 'node_modules/.cache/tool/r.xml'
    const old = { [report]: xml(failing), 'node_modules/other/r.xml': xml(failing) }
    for (const reports of [report, 'node_modules/.cache/**/*.xml'])
      expect(await judged(write(report, xml(passing)), { reports, files: old })).toMatchObject({
        status: 'pass',
        metadata: { report: 'junit', total: 1 },
      })
    expect(await judged('', { reports: '**/r.xml', files: old })).toMatchObject({ metadata: { report: null } })
    const sub = {
      files: { 'sub/go.js': write(report, xml(failing)) },
      command: [process.execPath, 'go.js'],
      cwd: 'sub',
    }
    expect(await judged('', { ...sub, reports: report })).toMatchObject({ metadata: { failed: 1 } })
  })
  test('are found from the directory the command runs in too', async () => {
    const script = { 'sub/go.js': write('junit.xml', xml(failing)), 'sub/junit.xml': xml(passing) }
    const judgment = await judged('', { command: [process.execPath, 'go.js'], files: script, cwd: 'sub' })
    expect(judgment).toMatchObject({ status: 'fail', metadata: { failed: 1 } })
  })
  test('that are corrupt fail: what the tests run may write them', async () => {
    expect(await judged(write('junit.xml', '<testsuite>'))).toMatchObject({
      status: 'fail',
      checks: [{ name: 'report-corrupt', passed: false, message: expect.stringContaining('junit.xml') }],
    })
  })
  test('behind a link are not read', async () => {
    await using outside = await temporaryWorkspace({ 'r.xml': xml(passing) })
    const script = `require('fs').symlinkSync('${outside.root}/r.xml', 'junit.xml')`
    expect(await judged(script, { mustPass: ['C#a'] })).toMatchObject({ status: 'fail' })
  })
})

describe('what is printed', () => {
  test('by go test -json is a report too', async () => {
    const event = JSON.stringify({ Action: 'fail', Package: 'm/p', Test: 'TestA' })
    expect(await judged(print(event))).toMatchObject({ status: 'fail', metadata: { report: 'go', failed: 1 } })
  })
  test('beyond what is kept makes the report incomplete', async () => {
    const filler = `for (let i = 0; i < 12; i += 1) process.stdout.write('#'.repeat(1_000_000) + '\\n')\n`
    const judgment = await judged(`${print('ok 1 - a', '1..2')}${filler}${print('ok 2 - b')}`)
    expect(judgment).toMatchObject({ status: 'fail', metadata: { truncated: true } })
    expect(judgment.checks.find(({ name }) => name === '(output)')).toMatchObject({ passed: false })
  })
})
