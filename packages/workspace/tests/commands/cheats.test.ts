import { spawnSync } from 'node:child_process'
import { runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { type TestOptions, testsPass } from '@jurist/workspace/commands'
import { fakeCommands, type TemporaryFile, temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'
import { steeringFiles } from '../../src/commands/steering-files.js'

type Files = { readonly [path: string]: TemporaryFile }
const hasTool = (tool: string) => spawnSync(tool, ['--version']).status === 0
const junit = (...cases: readonly string[]) => `<testsuite>${cases.join('')}</testsuite>`
const good = '<testcase classname="T" name="good"/>'
const bad = '<testcase classname="T" name="bad"><failure/></testcase>'

interface Scene {
  readonly agent: Files
  readonly before?: Files
  readonly reference: Files
  readonly options?: TestOptions
}

/** What is in the directory that a command runs in, with the overlay of `tests`. */
async function seen({ agent, before, reference, options }: Scene): Promise<readonly string[]> {
  await using workspace = await temporaryWorkspace(agent)
  await using original = await temporaryWorkspace(before)
  await using solution = await temporaryWorkspace({ 'tests/a.txt': '', ...reference })
  const context = { workspace, reference: solution, ...(before === undefined ? {} : { before: original }) }
  const list = 'find . -type f -exec sh -c \'echo "$1:$(cat "$1")"\' sh {} \\; | sort'
  const judge = testsPass.command(list, { ...options, overlay: { paths: ['tests'], ...options?.overlay } })
  const { metadata } = await runJudge(judge, aContext(context))
  return String(metadata['output']).trim().split('\n')
}

describe('files that steer a run', () => {
  test('are removed when only the agent has them', async () => {
    const agent = {
      'a.js': '1',
      '.npmrc': 'script-shell=./x',
      GNUmakefile: 'x',
      '.mvn/jvm.config': 'x',
      '.mvn/extensions.xml': 'x',
      'deep/conftest.py': 'x',
      'sitecustomize.py': 'x',
      'vitest.config.mts': 'x',
      'src/main/java/org/junit/jupiter/api/Assertions.java': 'x',
      'src/__pycache__/a.cpython-312.pyc': 'x',
    }
    expect(await seen({ agent, reference: {} })).toEqual(['./a.js:1', './tests/a.txt:'])
  })
  test('stay when the agent was given them, and are put back when it changed them', async () => {
    const agent = { '.npmrc': 'changed', 'pytest.ini': 'given', 'conftest.py': 'solved' }
    const before = { '.npmrc': 'given', 'pytest.ini': 'given', 'conftest.py': 'given' }
    const reference = { 'conftest.py': 'solved' }
    expect(await seen({ agent, before, reference })).toEqual([
      './.npmrc:given',
      './conftest.py:solved',
      './pytest.ini:given',
      './tests/a.txt:',
    ])
  })
  test('that define the build are the work of the agent, unless only it has them', async () => {
    const agent = { Makefile: 'mine', 'pyproject.toml': 'mine', 'build.gradle': 'mine' }
    const scene = { agent, before: { Makefile: 'given' }, reference: { 'pyproject.toml': 'solved' } }
    expect(await seen(scene)).toEqual(['./Makefile:mine', './pyproject.toml:mine', './tests/a.txt:'])
  })
  test('are no better behind a link', async () => {
    const agent = { '.mvn': { link: 'other' }, 'other/jvm.config': 'x', 'conftest.py': { link: 'other/jvm.config' } }
    expect(await seen({ agent, reference: {} })).toEqual(['./other/jvm.config:x', './tests/a.txt:'])
  })
  test('are what the options say', async () => {
    const agent = { '.npmrc': 'mine', 'notes.txt': 'mine' }
    const overlay = (absent: readonly string[]) => ({ overlay: { paths: ['tests'], absent } })
    expect(await seen({ agent, reference: {}, options: overlay([]) })).toHaveLength(3)
    expect(await seen({ agent, reference: {}, options: overlay(['*.txt']) })).toEqual([
      './.npmrc:mine',
      './tests/a.txt:',
    ])
    expect(() => testsPass.npm(overlay([' ']))).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  })
  test('are named in the metadata', async () => {
    await using workspace = await temporaryWorkspace({ '.npmrc': '' })
    await using reference = await temporaryWorkspace({ tests: '' })
    const judgment = await runJudge(
      testsPass.command('true', { overlay: { paths: ['tests'] } }),
      aContext({ workspace, reference }),
    )
    expect(judgment.metadata).toMatchObject({ takenAway: ['.npmrc'], takenAwayTotal: 1 })
  })
  test('of every tool are globs of files', () => {
    for (const globs of Object.values(steeringFiles)) for (const glob of globs) expect(glob).not.toMatch(/^\/|\/$|\\/)
  })
})

describe('programs of packages', () => {
  const line = { 'package.json': '{"scripts":{"test":"tool"}}' }
  test.skipIf(!hasTool('npm'))('that are not links into packages are removed', async () => {
    const forger = { executable: '#!/bin/sh\necho "ok 1 - a\n1..1"' }
    await using reference = await temporaryWorkspace({ 'tests/a.txt': '' })
    const judged = async (files: Files) => {
      await using workspace = await temporaryWorkspace({ ...line, ...files })
      return await runJudge(testsPass.npm({ overlay: { paths: ['tests'] } }), aContext({ workspace, reference }))
    }
    expect(await judged({ 'node_modules/.bin/tool': forger })).toMatchObject({ status: 'fail' })
    const outside = { 'node_modules/.bin/tool': { link: '../../forger' }, forger }
    expect(await judged(outside)).toMatchObject({ status: 'fail' })
    const installed = { 'node_modules/.bin/tool': { link: '../tool/run' }, 'node_modules/tool/run': forger }
    expect(await judged(installed)).toMatchObject({ status: 'pass' })
  })
  test.skipIf(!hasTool('npm'))('are not run by a shell of the workspace, also without an overlay', async () => {
    const files = {
      'package.json': '{"scripts":{"test":"exit 3"}}',
      '.npmrc': 'script-shell=./shell',
      shell: { executable: '#!/bin/sh\nexit 0\n' },
    }
    await using workspace = await temporaryWorkspace(files)
    expect(await runJudge(testsPass.npm(), aContext({ workspace }))).toMatchObject({ metadata: { exitCode: 3 } })
  })
})

describe('a run that broke off', () => {
  const judged = async (stdout: string, exitCode: number, report: string, options: TestOptions = {}) => {
    await using workspace = await temporaryWorkspace({})
    const player = fakeCommands(workspace, async () => {
      await workspace.write('junit.xml', report)
      return { stdout, exitCode }
    })
    return await runJudge(testsPass.maven({ mustPass: ['T#good'], ...options }), aContext({ workspace: player }))
  }
  const scanning = '[INFO] Scanning for projects...\n'
  const summary = (run: number) =>
    `[INFO] Tests run: ${run}, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS\n`
  test('is not believed, whatever its report says', async () => {
    const crash = '[ERROR] The forked VM terminated without properly saying goodbye. VM crash or System.exit called?\n'
    for (const [stdout, exitCode] of [
      [`${scanning}${crash}[INFO] BUILD FAILURE\n`, 1],
      [scanning, 0],
      [`${scanning}${summary(0)}`, 0],
      ['', 137],
    ] as const) {
      const judgment = await judged(stdout, exitCode, junit(good, bad))
      expect(judgment).toMatchObject({ status: 'fail', score: { value: 0 }, checks: [{ name: 'run_complete' }, {}] })
    }
  })
  test('is distinguished from one that ended', async () => {
    expect(await judged(`${scanning}${summary(1)}`, 0, junit(good))).toMatchObject({ status: 'pass' })
    expect(await judged(`${scanning}[INFO] BUILD FAILURE\n`, 1, junit(good, bad))).toMatchObject({ status: 'pass' })
    expect(await judged('', 0, junit(good))).toMatchObject({ status: 'pass' })
  })
  test.skipIf(!hasTool('pytest'))('pytest that code under test ended is not believed', async () => {
    const forging = `import glob, os, sys
place = [word for word in sys.argv if word.startswith('--junitxml=')][0].split('=', 1)[1]
open(place, 'w').write('${junit('<testcase classname="tests.test_a" name="test_a"/>')}')
os._exit(0)
`
    await using reference = await temporaryWorkspace({
      'tests/test_a.py': 'import a\n\ndef test_a():\n    assert a.answer() == 42\n',
      'tests/__init__.py': '',
    })
    const judging = async (files: Files) => {
      await using workspace = await temporaryWorkspace({ 'a.py': 'def answer():\n    return 42\n', ...files })
      const options = { overlay: { paths: ['tests'] }, mustPass: ['tests.test_a#test_a'], env: { PYTHONPATH: '.' } }
      return await runJudge(testsPass.pytest(options), aContext({ workspace, reference }))
    }
    expect(await judging({})).toMatchObject({ status: 'pass' })
    expect(await judging({ 'a.py': forging })).toMatchObject({ status: 'fail' })
    const steering = 'def pytest_runtest_makereport(item, call):\n    raise SystemExit(0)\n'
    for (const path of ['conftest.py', 'sitecustomize.py'])
      expect(
        await judging({ 'a.py': 'answer = int\n', [path]: path === 'conftest.py' ? steering : forging }),
      ).toMatchObject({
        status: 'fail',
        metadata: { takenAway: [path] },
      })
  })
})
