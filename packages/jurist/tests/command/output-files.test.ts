import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { partsOf } from '../../../viewer/tests/report-parts.js'
import { configOf, type Project, project } from '../project.js'

const failing = { 'jurist.config.ts': configOf({ jury: '{ judges: { no: () => false } }' }) }
const read = (made: Project, path: string) => readFileSync(join(made.directory, path), 'utf8')
const hasFullDevice = existsSync('/dev/full')

/** Two runs and a calibration of a config. */
async function measured(): Promise<Project> {
  const calibrations = `calibrations: { cal: { candidate: () => true, items: [
    { id: 'a', task: 't', metadata: { output: 'x', label: 'pass' } } ] } },`
  const config = configOf({}).replace('experiments: {', `${calibrations}\n  experiments: {`)
  const made = project({ 'jurist.config.ts': config, 'dir.json/keep': '', file: '' })
  await made.jurist('run')
  await made.jurist('run')
  return made
}

describe.concurrent('a file that cannot be written', () => {
  test.each([
    ['-o', 'dir.json'],
    ['-o', 'file/x.json'],
    ['--reporter', 'json=dir.json'],
    ['--reporter', 'junit=file/x.xml'],
  ])('%s %s is refused before anything runs', async (flag, value) => {
    using made = project({ ...failing, 'dir.json/keep': '', file: '' })
    const { code, stderr } = await made.jurist('run', flag, value, '-o', 'good.md')
    expect(stderr).toMatch(/is a directory\. Name a file\.|is a file\. Name another place\./)
    expect([code, existsSync(join(made.directory, 'results'))]).toEqual([2, false])
  })

  test.skipIf(!hasFullDevice)('after the run: report, misses and the other files come all the same', async () => {
    using made = project(failing)
    symlinkSync('/dev/full', join(made.directory, 'full.json'))
    const files = ['-o', 'full.json', '-o', 'good.md', '--reporter', 'json=full.json']
    const { code, stdout, stderr } = await made.jurist('run', '--threshold', '0.5', ...files)
    expect(code).toBe(3)
    expect(stdout).toContain('0 of 2 decided')
    expect(stderr).toContain('Missed: pass rate')
    expect(read(made, 'good.md')).toContain('# demo')
    expect(stderr).toMatch(
      /Could not write full\.json: no space left\. Name another file\. Later events are missing there\./,
    )
    const [, line = ''] = /another file\. The runs are stored: jurist (.*) <file>/.exec(stderr) ?? []
    expect(stderr.trimEnd().split('\n').at(-1)).toBe('jurist: the tool failed (exit code 3)')
    expect((await made.jurist(...line.split(' '), 'again.json')).code).toBe(0)
  })

  test('compare, calibrate and export refuse it too, and calibrate before it judges', async () => {
    using made = await measured()
    for (const argv of [['compare', 'demo', 'demo'], ['calibrate'], ['export', 'demo']]) {
      const { code, stderr } = await made.jurist(...argv, '-o', 'dir.json')
      expect([code, stderr]).toEqual([2, expect.stringContaining('--output dir.json is a directory.')])
    }
    expect((await made.jurist('list', '--kind', 'judge', '--json')).stdout).toBe('[]\n')
  })

  test.skipIf(!hasFullDevice)('compare and calibrate print their report first, as one document', async () => {
    using made = await measured()
    symlinkSync('/dev/full', join(made.directory, 'full.json'))
    for (const argv of [['compare', 'demo', 'demo'], ['calibrate']]) {
      const { code, stdout, stderr } = await made.jurist(...argv, '-o', 'full.json', '--json')
      expect([code, Object.keys(JSON.parse(stdout))]).toEqual([3, expect.not.arrayContaining(['error'])])
      expect(stderr).toContain(
        'Could not write full.json: no space left. Name another file. The report is printed above.',
      )
    }
    const exported = await made.jurist('export', 'demo', '-o', 'full.json', '--json')
    expect([exported.code, JSON.parse(exported.stdout).error.code]).toEqual([3, 'store-failed'])
  })

  test('a name that is only an extension has none', async () => {
    using made = project(failing)
    const { code, stderr } = await made.jurist('run', '-o', '.json')
    expect([code, stderr]).toEqual([2, expect.stringContaining('--output .json must end in .csv')])
  })
})

describe.concurrent('a file that is written', () => {
  test('by run and by export is the same for each end of its name', async () => {
    using made = project(failing)
    const ends = ['csv', 'jsonl', 'json', 'xml', 'html', 'md']
    await made.jurist('run', ...ends.flatMap((end) => ['-o', `run.${end}`]))
    for (const end of ends) {
      expect((await made.jurist('export', 'latest', '-o', `export.${end}`)).code).toBe(0)
      expect(read(made, `export.${end}`), end).toBe(read(made, `run.${end}`))
    }
  })

  test('replaces what was there, and leaves nothing beside it', async () => {
    using made = project({ ...failing, 'out/a.json': 'old' })
    mkdirSync(join(made.directory, 'elsewhere'))
    symlinkSync('../elsewhere/b.md', join(made.directory, 'out/b.md'))
    await made.jurist('run', '-o', 'out/a.json', '-o', 'out/b.md')
    expect(JSON.parse(read(made, 'out/a.json'))).toHaveLength(1)
    expect(read(made, 'elsewhere/b.md')).toContain('# demo')
    expect(readdirSync(join(made.directory, 'out')).sort()).toEqual(['a.json', 'b.md'])
  })

  test('holds all variants and experiments under the name that was given', async () => {
    const config = configOf({ rest: 'variants: { control: {}, knowledge: {} },' }).replace(
      'experiments: {',
      "experiments: { other: { dataset: [{ id: 'x', task: 't' }], agent, jury: () => true },",
    )
    using made = project({ 'jurist.config.ts': config })
    const files = ['-o', 'a.md', '-o', 'a.html', '-o', 'a.json', '-o', 'a.csv']
    const { code } = await made.jurist('run', 'demo', 'other', '--reporter', 'junit=rep.xml', ...files)
    expect(code).toBe(0)
    expect(readdirSync(made.directory).filter((name) => name.endsWith('.xml'))).toEqual(['rep.xml'])
    const suites = [...read(made, 'rep.xml').matchAll(/<testsuite name="([^"]*)"/g)].map(([, name]) => name)
    expect(suites).toEqual(['demo.control', 'demo.control.simple', 'demo.knowledge', 'demo.knowledge.simple', 'other'])
    const text = (name: string) =>
      name.endsWith('.html') ? JSON.stringify(partsOf(read(made, name))) : read(made, name)
    for (const name of ['a.md', 'a.html', 'a.json', 'a.csv'])
      for (const word of ['control', 'knowledge', 'other']) expect(text(name), name).toContain(word)
  })
})

describe.concurrent('with GITHUB_ACTIONS', () => {
  test.each([['--json'], ['--reporter=json']])('%s is one document all the same', async (flag) => {
    using made = project(failing)
    const { stdout } = await made.juristWith({ GITHUB_ACTIONS: 'true' }, 'run', flag)
    expect(JSON.parse(stdout)).toHaveProperty('results.0.passCount', 0)
  })

  test('a summary that cannot be written is reported, and the report is kept', async () => {
    using made = project({ ...failing, 'summary/keep': '' })
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(made.directory, 'summary') }
    const { code, stdout, stderr } = await made.juristWith(env, 'run')
    expect([code, stdout]).toEqual([3, expect.stringContaining('0 of 2 decided')])
    expect(stderr).toContain('Name another file. GITHUB_STEP_SUMMARY names this one.')
  })
})
