import { spawnSync } from 'node:child_process'
import { readlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { type TestOptions, testsPass } from '@jurist/workspace/commands'
import { type TemporaryFile, temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'
import { steeringFiles } from '../../src/commands/steering-files.js'
import { globMatcher } from '../../src/list-tree.js'

type Files = { readonly [path: string]: TemporaryFile }
const hasTool = (tool: string, ...words: readonly string[]) => spawnSync(tool, words).status === 0

interface Scene {
  readonly agent: Files
  readonly before?: Files
  readonly reference?: Files
  readonly options?: Partial<NonNullable<TestOptions['overlay']>>
}

/** The files and links of the copy that a command runs in, with the overlay of `tests`. */
async function left({ agent, before, reference, options }: Scene): Promise<readonly string[]> {
  await using workspace = await temporaryWorkspace({ 'src/a.js': '1', ...agent })
  await using given = await temporaryWorkspace({ 'src/a.js': '0', ...before })
  await using solution = await temporaryWorkspace({ 'tests/a.txt': '', ...reference })
  const judge = testsPass.command("find . '(' -type f -o -type l ')' | sort", {
    overlay: { paths: ['tests'], ...options },
  })
  const { metadata } = await runJudge(judge, aContext({ workspace, before: given, reference: solution }))
  const paths = String(metadata['output']).trim().split('\n')
  return paths.map((path) => path.slice(2)).filter((path) => path !== 'src/a.js' && path !== 'tests/a.txt')
}

const steering = [
  'postcss.config.cjs',
  'src/postcss.config.mjs',
  '.postcssrc.cjs',
  'src/deep/.babelrc.js',
  'src/babel.config.json',
  '.pnp.cjs',
  '.pnp.loader.mjs',
  '__mocks__/chai.js',
  'src/__mocks__/fs.ts',
  'ava.config.js',
  'playwright.config.ts',
  'bunfig.toml',
  'node.config.json',
  'src/main/resources/META-INF/services/javax.annotation.processing.Processor',
  'src/main/resources/META-INF/services/java.nio.charset.spi.CharsetProvider',
  'src/main/resources/META-INF/services/org.junit.platform.launcher.LauncherSessionListener',
  'src/main/resources/evil/Proc.class',
  'evil_test.go',
  'pkg/evil_test.go',
  'crates/a/build.rs',
  '.config/nextest.toml',
  'dataclasses.py',
  'iniconfig.py',
  'argparse/__init__.py',
  'json.cpython-312-x86_64-linux-gnu.so',
  '.coveragerc',
  'asyncio/__init__.py',
  'pytest_asyncio.py',
  '.rspec',
  '.bundle/config',
  'lib/minitest/autorun.rb',
  'phpunit.xml',
  'deno.json',
  'CTestCustom.cmake',
  '.tool-versions',
  '.python-version',
  'mise.toml',
  '.mise.local.toml',
  '.config/mise/config.toml',
]

describe('files that steer a run, wherever a tool looks for them', () => {
  test('are removed where only the agent has them', async () => {
    const files = Object.fromEntries(steering.map((path) => [path, 'x']))
    expect(await left({ agent: files })).toEqual([])
    expect(await left({ agent: files, reference: files })).toEqual(steering.toSorted())
    expect(await left({ agent: files, before: files })).toEqual(steering.toSorted())
  })
  test('what only looks alike stays', async () => {
    const agent = {
      'src/types.py': '',
      'types/index.d.ts': '',
      'src/jsonify.py': '',
      'lib/minitest/report_plugin.rb': '',
      'mise.ts': '',
      'src/testing.go': '',
      'a.json': '',
    }
    expect(await left({ agent })).toEqual(Object.keys(agent).sort())
  })
  test('snapshots beside a laid file are not the work of the agent', async () => {
    const agent = { '__snapshots__/a.test.js.snap': 'mine', 'b.test.js.snapshot': 'mine' }
    const reference = { 'a.test.js': '', '__snapshots__/a.test.js.snap': 'right' }
    const options = { paths: ['a.test.js'] }
    expect(await left({ agent, reference, options })).toEqual([
      '__snapshots__/a.test.js.snap',
      'a.test.js',
      'b.test.js.snapshot',
    ])
    expect(await left({ agent, reference: { 'b.test.js': '' }, options: { paths: ['b.test.js'] } })).toEqual([
      '__snapshots__/a.test.js.snap',
      'b.test.js',
    ])
  })
  test('with "sources", everything else that only the agent has', async () => {
    const agent = { 'src/b.js': '', 'docs/c.md': '', hook: { executable: '' }, 'given.txt': 'changed', 'new.txt': '' }
    const scene = { agent, before: { 'given.txt': '' }, reference: { 'new.txt': '' } }
    expect(await left({ ...scene, options: { sources: ['src/**'] } })).toEqual(['given.txt', 'new.txt', 'src/b.js'])
    expect(await left({ ...scene, options: { sources: ['src/**', '**/*.md'], absent: [] } })).toContain('docs/c.md')
    expect(() => testsPass.command('true', { overlay: { paths: ['tests'], sources: [''] } })).toThrow(
      expect.objectContaining({ code: 'option-invalid' }),
    )
  })
  test('however large the agent makes them', async () => {
    await using workspace = await temporaryWorkspace({ '.npmrc': '' })
    truncateSync(join(workspace.root, '.npmrc'), 11_000_000)
    await using before = await temporaryWorkspace({ '.npmrc': 'given' })
    await using reference = await temporaryWorkspace({ 'tests/a': '' })
    const judge = testsPass.command('cat .npmrc', { overlay: { paths: ['tests'] } })
    const { metadata } = await runJudge(judge, aContext({ workspace, before, reference }))
    expect(metadata).toMatchObject({ output: 'given', takenAway: ['.npmrc'] })
  })
})

describe.skipIf(!hasTool('npm', '--version'))('programs in node_modules/.bin', () => {
  const forger = { executable: '#!/bin/sh\necho "ok 1 - a\n1..1"' }
  const manifest = (more: object) => ({
    'package.json': JSON.stringify({ scripts: { test: 'node run.cjs' }, ...more }),
  })
  const program = { 'run.cjs': 'console.log("not ok 1 - a\\n1..1"); process.exitCode = 1' }
  const bin = (name: string) => ({
    [`node_modules/.bin/${name}`]: { link: `../x/${name}` },
    [`node_modules/x/${name}`]: forger,
  })
  const judged = async (agent: Files, more: Scene & { readonly cwd?: string } = { agent: {} }) => {
    await using workspace = await temporaryWorkspace({ ...manifest({}), ...program, ...agent })
    await using before = await temporaryWorkspace({ ...manifest({}), ...program, ...more.before })
    await using reference = await temporaryWorkspace({ 'tests/a.txt': '' })
    const options = {
      overlay: { paths: ['tests'], ...more.options },
      cwd: more.cwd,
    }
    return await runJudge(testsPass.npm(options), aContext({ workspace, before, reference }))
  }
  test('never hide those of the machine', async () => {
    const hidden = ['env', 'node', 'sh']
    const dependent = manifest({ devDependencies: { x: '1' } })
    for (const before of [{}, dependent]) {
      const { status, metadata } = await judged(
        { ...before, ...bin('node'), ...bin('sh'), ...bin('env') },
        { agent: {}, before },
      )
      expect([status, metadata['takenAway']]).toEqual(['fail', hidden.map((name) => `node_modules/.bin/${name}`)])
    }
  })
  test('may be those that the agent was given', async () => {
    const given = { ...bin('node') }
    expect(await judged(given, { agent: {}, before: given })).toMatchObject({ status: 'pass' })
  })
  test('are none where the project has no packages, and may be where it has', async () => {
    const script = (more: object) => manifest({ scripts: { test: 'tool' }, ...more })
    const files = { ...script({}), ...bin('tool') }
    // The tool is on no machine, so the given workspace cannot run its tests either.
    expect(await judged(files, { agent: {}, before: script({}) })).toMatchObject({ status: 'error' })
    const dependent = script({ dependencies: { x: '1' } })
    expect(await judged({ ...dependent, ...bin('tool') }, { agent: {}, before: dependent })).toMatchObject({
      status: 'pass',
    })
  })
  test('count above the directory of the run, too', async () => {
    const inner = { 'a/package.json': manifest({})['package.json'], 'a/run.cjs': program['run.cjs'] }
    const judgment = await judged({ ...inner, ...bin('node') }, { agent: {}, before: inner, cwd: 'a' })
    expect(judgment).toMatchObject({ status: 'fail', metadata: { takenAway: ['node_modules/.bin/node'] } })
  })
  test('and packages go where "absent" names them', async () => {
    const agent = { 'node_modules/x/index.js': '', 'node_modules/given/index.js': 'changed' }
    const before = { 'node_modules/given/index.js': 'given' }
    expect(await left({ agent, before, options: { absent: ['node_modules/**'] } })).toEqual([
      'node_modules/given/index.js',
    ])
    expect(await left({ agent, before })).toHaveLength(2)
  })
  test('without isolation the .npmrc of the home directory steers nothing', async () => {
    await using home = await temporaryWorkspace({
      '.npmrc': 'node-options=--require=./forger.cjs\nscript-shell=/bin/false',
    })
    await using workspace = await temporaryWorkspace({
      ...manifest({}),
      ...program,
      'forger.cjs': 'console.log("ok 1 - a\\n1..1"); process.reallyExit(0)',
    })
    const judge = testsPass.npm({ env: { HOME: home.root } })
    expect(await runJudge(judge, { workspace })).toMatchObject({ status: 'fail', metadata: { failed: 1 } })
  })
})

describe('what is laid over', () => {
  test('keeps links inside, and is copied whatever its size', async () => {
    await using workspace = await temporaryWorkspace({ 'node_modules/.bin/tool': 'mine' })
    await using reference = await temporaryWorkspace({
      'node_modules/.bin/tool': { link: '../tool/run' },
      'node_modules/tool/run': { executable: '#!/bin/sh\necho theirs\n' },
      'node_modules/linked': { link: 'tool' },
      'node_modules/large.bin': '',
    })
    truncateSync(join(reference.root, 'node_modules/large.bin'), 11_000_000)
    const command =
      'readlink node_modules/.bin/tool node_modules/linked; node_modules/.bin/tool; wc -c < node_modules/large.bin'
    const judge = testsPass.command(command, { overlay: { paths: ['node_modules'] } })
    const { metadata } = await runJudge(judge, aContext({ workspace, reference }))
    expect(metadata['output']).toBe('../tool/run\ntool\ntheirs\n11000000\n')
  })
  test('does not follow a link to what the agent has', async () => {
    await using workspace = await temporaryWorkspace({ 'shared/x.txt': 'mine' })
    await using reference = await temporaryWorkspace({
      'tests/x.txt': { link: '../shared/x.txt' },
      'shared/x.txt': 'theirs',
    })
    expect(readlinkSync(join(reference.root, 'tests/x.txt'))).toBe('../shared/x.txt')
    const judge = testsPass.command('cat tests/x.txt', { overlay: { paths: ['tests'] } })
    expect((await runJudge(judge, aContext({ workspace, reference }))).metadata['output']).toBe('theirs')
  })
  test('is newer than what the agent built', async () => {
    await using workspace = await temporaryWorkspace({ 'tests/old.txt': '', product: '' })
    await using reference = await temporaryWorkspace({ 'tests/a.txt': '' })
    spawnSync('touch', ['-d', '2001-01-01', join(reference.root, 'tests/a.txt')])
    const judge = testsPass.command('test tests/a.txt -nt product && echo newer', { overlay: { paths: ['tests'] } })
    expect((await runJudge(judge, aContext({ workspace, reference }))).metadata['output']).toBe('newer\n')
  })
})

describe.skipIf(!hasTool('python3', '-m', 'pytest', '--version'))('modules that shadow what Python loads', () => {
  const tests = { 'tests/test_a.py': 'import calc\n\ndef test_a():\n    assert calc.add(1, 2) == 3\n' }
  test.each(['pytest', 'unittest'])('are all that Python itself loads from files for %s', async (runner) => {
    await using empty = await temporaryWorkspace({})
    const { stderr } = spawnSync('python3', ['-X', 'importtime', '-m', runner], { cwd: empty.root, encoding: 'utf8' })
    const loaded = [...stderr.matchAll(/\| +([a-z_]\w*)$/gim)].map(([, name = '']) => name)
    const ofFiles = `import sys, importlib.util as util
site = ('sitecustomize', 'usercustomize', 'encodings')
found = [(name, util.find_spec(name)) for name in sys.argv[1:] if name not in site]
libraries = [path for path in sys.path if path]
print(' '.join(name for name, spec in found if spec and spec.has_location and spec.origin.startswith(tuple(libraries))))`
    const known = spawnSync('python3', ['-I', '-c', ofFiles, ...new Set(loaded)], { encoding: 'utf8' }).stdout.trim()
    const matches = await globMatcher(steeringFiles.pytest, '.')
    const names = known.split(' ')
    expect(names.length).toBeGreaterThan(20)
    expect(names.filter((name) => !matches(`${name}.py`))).toEqual([])
  })
  test('a report beside a run that broke off is not believed, although the run printed nothing itself', async () => {
    const source = `import os, sys
open('junit.xml', 'w').write('<testsuite><testcase classname="tests.test_a" name="test_a"/></testsuite>')
os._exit(0)
`
    await using workspace = await temporaryWorkspace({ 'calc.py': source })
    await using reference = await temporaryWorkspace(tests)
    const command = ['python3', '-m', 'pytest', '-p', 'no:cacheprovider', '--junitxml=junit.xml', 'tests']
    const judge = testsPass.command(command, { overlay: { paths: ['tests'] }, reports: 'junit.xml' })
    expect(await runJudge(judge, aContext({ workspace, reference }))).toMatchObject({
      status: 'fail',
      reasoning: 'pytest began and did not finish',
    })
  })
  test('end nothing', async () => {
    const names = ['argparse', 'dataclasses', 'iniconfig'].map((name) => `${name}.py`)
    const ending = 'print("1 passed in 0.01s", flush=True)\nimport os\nos._exit(0)\n'
    const judged = async (add: string) => {
      await using workspace = await temporaryWorkspace({
        'calc.py': `def add(a, b):\n    return ${add}\n`,
        ...Object.fromEntries(names.map((name) => [name, ending])),
      })
      await using reference = await temporaryWorkspace(tests)
      const judge = testsPass.command(['python3', '-m', 'pytest', '-p', 'no:cacheprovider', 'tests'], {
        overlay: { paths: ['tests'] },
      })
      return await runJudge(judge, aContext({ workspace, reference }))
    }
    expect(await judged('a - b')).toMatchObject({ status: 'fail', metadata: { takenAway: names } })
    expect(await judged('a + b')).toMatchObject({ status: 'pass' })
  })
})
