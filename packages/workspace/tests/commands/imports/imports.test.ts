import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jury, runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { localWorkspace } from '@jurist/workspace'
import { type TestOptions, testsPass } from '@jurist/workspace/commands'
import { readOnly } from '@jurist/workspace/internal'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'jurist-imports-')))
const hasTool = (program: string, ...args: readonly string[]) => spawnSync(program, args).status === 0
const write = (root: string, files: { readonly [path: string]: string }) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const good = 'def add(a, b):\n    return a + b\n'
const bad = 'def add(a, b):\n    return a - b\n'
const tests =
  'import unittest\nfrom calc import add\n\nclass TestAdd(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n'

// What pip installs with -e: a .pth file, or a finder in one; here without pip, so that nothing is downloaded.
describe.skipIf(!hasTool('python3', '-c', 'import venv'))(
  'an editable install of another checkout (needs python3)',
  () => {
    const venv = join(directory, 'venv')
    const python = join(venv, 'bin/python')
    let site = ''
    beforeAll(() => {
      execFileSync('python3', ['-m', 'venv', '--without-pip', venv])
      site = execFileSync(python, ['-c', 'import site; print(site.getsitepackages()[0])'], { encoding: 'utf8' }).trim()
    })

    const finder = (place: string, at: string) => `import sys, importlib.util
class Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name == 'calc': return importlib.util.spec_from_file_location(name, ${JSON.stringify(place)})
sys.meta_path.${at}
`
    interface Tried {
      readonly layout: '' | 'src/'
      readonly kind: 'pth' | 'finder' | 'insistent'
      readonly work?: string
      readonly options?: TestOptions
      readonly before?: boolean
      readonly startedAt?: string
    }
    let count = 0
    async function judged({ layout, kind, work = bad, options = {}, before = false, startedAt }: Tried) {
      const root = join(directory, String(count++))
      const [original, copy] = [join(root, 'original'), join(root, 'copy')]
      const files = { [`${layout}calc/__init__.py`]: good, 'tests/test_calc.py': tests }
      write(original, files)
      cpSync(original, copy, { recursive: true })
      write(copy, { [`${layout}calc/__init__.py`]: work, 'unittest.py': 'raise SystemExit(0)\n' })
      rmSync(join(copy, 'unittest.py'))
      const place = join(original, `${layout}calc/__init__.py`)
      for (const name of ['calc.pth', 'calc_finder.py']) rmSync(join(site, name), { force: true })
      if (kind === 'pth') write(site, { 'calc.pth': `${join(original, layout)}\n` })
      else {
        write(site, { 'calc_finder.py': finder(place, kind === 'finder' ? 'append(Finder)' : 'insert(0, Finder)') })
        write(site, { 'calc.pth': 'import calc_finder\n' })
      }
      const judge = testsPass.command([python, '-m', 'unittest', 'discover', '-s', 'tests'], {
        minTests: 0,
        ...options,
      })
      const context = aContext({
        workspace: localWorkspace(copy),
        ...(before ? { before: readOnly(localWorkspace(original)) } : {}),
        ...(startedAt === undefined ? {} : { startedAt }),
      })
      const judgment = await runJudge(judge, context)
      // In a jury the judge works in a view, which becomes a copy with the first command.
      const voted = async () => (await jury({ judges: { tests: judge } }).vote(context)).individual.tests
      return { judgment, original, voted }
    }

    test.each(['', 'src/'] as const)('is not what is judged: the workspace comes first (%s)', async (layout) => {
      for (const kind of ['pth', 'finder'] as const) {
        const { judgment, original, voted } = await judged({ layout, kind })
        const redirected = {
          status: 'fail',
          metadata: { importedFrom: { calc: join(original, layout, 'calc/__init__.py') } },
        }
        expect(judgment).toMatchObject(redirected)
        if (kind === 'finder') continue
        expect(await voted()).toMatchObject(redirected)
        expect((await judged({ layout, kind, work: good })).judgment.status).toBe('pass')
        expect((await judged({ layout, kind, before: true })).judgment.status).toBe('fail')
      }
    })
    test('comes second in the copy of an overlay too', async () => {
      const from = readOnly(localWorkspace(join(directory, '0/original')))
      const overlay = { overlay: { paths: ['tests'], from } }
      expect((await judged({ layout: 'src/', kind: 'pth', options: overlay })).judgment.status).toBe('fail')
      expect((await judged({ layout: 'src/', kind: 'pth', options: overlay, work: good })).judgment.status).toBe('pass')
    })
    test('that insists is an error with a remedy, and a fail when the agent made it', async () => {
      const { judgment, original } = await judged({ layout: 'src/', kind: 'insistent', work: good })
      const place = join(original, 'src/calc/__init__.py')
      expect(judgment).toMatchObject({
        status: 'error',
        failure: { code: 'imported-elsewhere' },
        reasoning: `calc is imported from ${place}, not from the workspace; install the package without -e, or from the workspace itself.`,
      })
      const startedAt = new Date(Date.now() - 60_000).toISOString()
      expect((await judged({ layout: 'src/', kind: 'insistent', work: good, startedAt })).judgment).toMatchObject({
        status: 'fail',
        checks: [{ name: 'imported_from', passed: false }],
      })
    })
    test('leaves nothing in the workspace', async () => {
      await judged({ layout: 'src/', kind: 'pth' })
      const paths: string[] = []
      for await (const { path } of localWorkspace(join(directory, String(count - 1), 'copy')).list()) paths.push(path)
      expect(paths.filter((path) => path.includes('jurist'))).toEqual([])
    })
  },
)

describe('packages of Node that are linked to another checkout', () => {
  const files = (value: number) => ({
    'package.json': '{"name":"root","workspaces":["packages/*"]}',
    'packages/lib/package.json': '{"name":"@acme/lib","main":"index.js"}',
    'packages/lib/index.js': `module.exports = ${value}`,
    'test.cjs': `console.log('1..1'); console.log((require('@acme/lib') === 3 ? 'ok' : 'not ok') + ' 1 - lib')`,
  })
  function checkouts(name: string) {
    const [original, work] = [join(directory, name, 'original'), join(directory, name, 'work')]
    write(original, files(3))
    write(work, files(4))
    for (const root of [original, work]) mkdirSync(join(root, 'node_modules/@acme'), { recursive: true })
    symlinkSync(join(original, 'packages/lib'), join(work, 'node_modules/@acme/lib'))
    return { original, work }
  }
  const command = [process.execPath, 'test.cjs']
  test('are found: an error, or a fail when the agent made the link', async () => {
    const { original, work } = checkouts('node-in-place')
    const judge = testsPass.command(command)
    expect(await runJudge(judge, aContext({ workspace: localWorkspace(work) }))).toMatchObject({
      status: 'error',
      failure: { code: 'imported-elsewhere' },
    })
    const before = readOnly(localWorkspace(original))
    expect(await runJudge(judge, aContext({ workspace: localWorkspace(work), before }))).toMatchObject({
      status: 'fail',
      checks: [{ name: 'imported_from' }],
    })
  })
  test('are those of the copy where tests are laid over one', async () => {
    const { original, work } = checkouts('node-copy')
    const overlay = { paths: ['test.cjs'], from: readOnly(localWorkspace(original)) }
    const judged = async () =>
      await runJudge(testsPass.command(command, { overlay }), aContext({ workspace: localWorkspace(work) }))
    expect(await judged()).toMatchObject({
      status: 'fail',
      metadata: { failed: 1, importedFrom: { '@acme/lib': join(original, 'packages/lib') } },
    })
    write(work, { 'packages/lib/index.js': 'module.exports = 3' })
    expect((await judged()).status).toBe('pass')
  })
})

describe('modules of Go that are replaced by another checkout', () => {
  const passing = { command: 'echo "1..1"; echo "ok 1 - a"' }
  async function judged(name: string, replace: string, beforeReplace?: string) {
    const [work, before] = [join(directory, name, 'work'), join(directory, name, 'before')]
    const files = (line: string) => ({
      'go.mod': `module acme/m\n\nrequire (\n\tacme/m/sub v0.0.0\n)\n${line}\n`,
      'sub/go.mod': 'module acme/m/sub\n',
    })
    write(work, files(replace))
    write(before, files(beforeReplace ?? ''))
    const context = {
      workspace: localWorkspace(work),
      ...(beforeReplace === undefined ? {} : { before: readOnly(localWorkspace(before)) }),
    }
    const { status, checks } = await runJudge(testsPass.command(passing.command), aContext(context))
    return [status, checks[0]?.name]
  }
  test('are an error when they were given, a fail when the agent made them so', async () => {
    const line = 'replace acme/m/sub => /elsewhere/sub'
    expect(await judged('go-1', line)).toEqual(['error', undefined])
    expect(await judged('go-2', line, line)).toEqual(['error', undefined])
    expect(await judged('go-3', `replace (\n\tother/lib v1.0.0 => ../../lib // near\n)`, '')).toEqual([
      'fail',
      'imported_from',
    ])
  })
  test('are fine inside the workspace, and so is a library that was given', async () => {
    expect(await judged('go-4', 'replace acme/m/sub => ./sub', '')).toEqual(['pass', 'command_execution'])
    const library = 'replace other/lib => /opt/lib'
    expect(await judged('go-5', library, library)).toEqual(['pass', 'command_execution'])
    expect(await judged('go-6', library)).toEqual(['pass', 'command_execution'])
  })
})
