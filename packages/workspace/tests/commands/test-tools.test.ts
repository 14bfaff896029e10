import { spawnSync } from 'node:child_process'
import { infoOf, type Judge, runJudge } from '@jurist/core'
import { aContext, memoryWorkspace } from '@jurist/core/testing'
import { testsPass } from '@jurist/workspace/commands'
import { fakeCommands, type TemporaryFile, temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'

type Files = { readonly [path: string]: TemporaryFile }
const hasTool = (...command: readonly [string, ...string[]]) => spawnSync(command[0], command.slice(1)).status === 0
const scripts = (test: string) => ({ 'package.json': JSON.stringify({ scripts: { test } }) })
const reporter = '--reporter=json --outputFile=.jurist-test-report.json'

async function lineOf(judge: Judge, files: Files = {}): Promise<string> {
  await using workspace = await temporaryWorkspace(files)
  let line = ''
  const player = fakeCommands(workspace, (command) => {
    line = command.join(' ')
    return {}
  })
  await runJudge(judge, aContext({ workspace: player }))
  // The file of the report has another name in every run.
  return line.replace(/-[0-9a-f]{16}(?=\.(?:json|xml))/, '')
}

async function judged(judge: Judge, files: Files) {
  await using workspace = await temporaryWorkspace(files)
  const judgment = await runJudge(judge, aContext({ workspace }))
  const paths: string[] = []
  for await (const { path } of workspace.list()) paths.push(path)
  return { judgment, paths }
}

describe('the commands of test tools', () => {
  test.each([
    [testsPass.maven(), 'testsPass.maven', 'mvn -B -ntp test'],
    [testsPass.maven('verify'), 'testsPass.maven', 'mvn -B -ntp verify'],
    [testsPass.gradle('check', { trustWrapper: false }), 'testsPass.gradle', 'gradle --no-daemon check'],
    [testsPass.npm(), 'testsPass.npm', 'npm run test'],
    [testsPass.pnpm('unit'), 'testsPass.pnpm', 'pnpm run unit'],
    [testsPass.yarn(), 'testsPass.yarn', 'yarn run test'],
    [testsPass.cargo(), 'testsPass.cargo', 'cargo test'],
    [testsPass.go(), 'testsPass.go', 'go test -json ./...'],
    [testsPass.go('test', './a'), 'testsPass.go', 'go test -json ./a'],
    [testsPass.go('-short', './a'), 'testsPass.go', 'go test -json -short ./a'],
    [testsPass.pytest('-q'), 'testsPass.pytest', 'pytest -q --junitxml=.jurist-test-report.xml'],
    [testsPass.pytest('--junitxml=junit.xml'), 'testsPass.pytest', 'pytest --junitxml=junit.xml'],
    [testsPass.pytest({ reports: 'out.xml' }), 'testsPass.pytest', 'pytest'],
  ])('%#', async (judge, name, line) => {
    expect(infoOf(judge)).toMatchObject({ name, kind: 'deterministic' })
    expect(await lineOf(judge)).toBe(line)
  })
  test.each([
    ['vitest', `npm run test -- ${reporter}`],
    ['tsc && NODE_ENV=test npx vitest run', `npm run test -- ${reporter}`],
    ['jest --ci', 'npm run test -- --json --outputFile=.jurist-test-report.json'],
    ['node_modules/.bin/jest', 'npm run test -- --json --outputFile=.jurist-test-report.json'],
    ['node --no-warnings ./node_modules/vitest/vitest.mjs run', `npm run test -- ${reporter}`],
    ['node ../../node_modules/jest/bin/jest.js', 'npm run test -- --json --outputFile=.jurist-test-report.json'],
    ['node vitest.mjs', 'npm run test'],
    ['vitest run && echo done', 'npm run test'],
    ['node --test', 'npm run test'],
  ])('npm with the script %j', async (script, line) => {
    expect(await lineOf(testsPass.npm(), scripts(script))).toBe(line)
  })
  test('asks for no report where the user names one, and the others get arguments without --', async () => {
    expect(await lineOf(testsPass.npm({ reports: 'out.json' }), scripts('vitest'))).toBe('npm run test')
    expect(await lineOf(testsPass.pnpm('test', '--bail'), scripts('vitest'))).toBe(`pnpm run test --bail ${reporter}`)
    expect(await lineOf(testsPass.npm('__proto__'), scripts('vitest'))).toBe('npm run __proto__')
  })
})

describe('real test runs', () => {
  test('npm with a program that prints TAP', async () => {
    const files = { ...scripts('node run.js'), 'run.js': 'console.log("1..2\\nok 1 - a\\nok 2 - b")' }
    const { judgment } = await judged(testsPass.npm(), files)
    expect(judgment).toMatchObject({ status: 'pass', metadata: { tool: 'npm', report: 'tap', passed: 2 } })
  })
  test('npm with a program that writes the JSON of Vitest, whose file is removed again', async () => {
    const vitest = `#!/usr/bin/env node
const [, path] = process.argv.at(-1).split('=')
const result = { title: 'adds', ancestorTitles: ['sum'], status: 'passed' }
const testResults = [{ name: process.cwd() + '/a.test.js', status: 'passed', assertionResults: [result] }]
require('fs').writeFileSync(path, JSON.stringify({ testResults }))`
    const { judgment, paths } = await judged(testsPass.npm('test', { mustPass: ['a.test.js > sum > adds'] }), {
      ...scripts('./vitest'),
      vitest: { executable: vitest },
    })
    expect(judgment).toMatchObject({ status: 'pass', metadata: { report: 'jest', passed: 1 } })
    expect(paths).toEqual(['package.json', 'vitest'])
  })
  test.skipIf(!hasTool('pytest', '--version'))('pytest (skipped where it is not installed)', async () => {
    const source = 'def test_good():\n    pass\n\ndef test_bad():\n    assert 1 == 2\n'
    const { judgment, paths } = await judged(testsPass.pytest('-p', 'no:cacheprovider'), { 'test_a.py': source })
    expect(judgment).toMatchObject({ status: 'fail', metadata: { report: 'junit', passed: 1, failed: 1 } })
    expect(judgment.checks.map(({ name }) => name)).toEqual([
      'command_execution',
      'test_a#test_bad',
      'test_a#test_good',
    ])
    expect(paths).not.toContain('.jurist-test-report.xml')
  })
  test('a workspace without a directory can run tests, but not have an overlay', async () => {
    const workspace = memoryWorkspace({}, { run: () => ({ stdout: '1..1\nok 1 - a\n' }) })
    expect((await runJudge(testsPass.command('x'), { workspace })).status).toBe('pass')
    const judge = testsPass.command('x', { overlay: { from: memoryWorkspace({ a: '' }), paths: ['a'] } })
    expect(await runJudge(judge, { workspace })).toMatchObject({
      status: 'error',
      failure: { code: 'provision-failed', message: expect.stringContaining('no directory') },
    })
  })
})
