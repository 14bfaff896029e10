import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'
import { onPostgres } from '../../project-results.js'

/** Two items; MODE says how the agent and the judge go about them. */
const config = `
import { completed, defineConfig } from 'jurist'
const mode = process.env.MODE
export default defineConfig({
  experiments: {
    demo: {
      dataset: [{ id: 'one', task: 'x', tags: ['quick'] }, { id: 'two', task: 'x' }],
      itemTimeoutMs: mode === 'late' ? 100 : 600_000,
      agent: ({ metadata, workspace, signal }) => {
        if (mode === 'late') return new Promise((resolve) => signal.addEventListener('abort', () => resolve(completed('late'))))
        if (mode === 'evil') return workspace.write('evil.jsonl', 'not json secret {{{').then(() => completed('x'))
        return { ...completed('x'), costUsd: mode === 'dear' ? 0.016 : 0 }
      },
      jury: ({ metadata }) => {
        if (mode === 'none' || (mode === 'half' && metadata.itemId === 'two')) throw new Error('the judge is broken')
        return mode === 'tokens' ? { status: 'pass', score: { type: 'boolean', value: true }, reasoning: 'r', checks: [], metadata: {}, usage: { inputTokens: 9 } } : true
      },
    },
  },
  calibrations: { cal: { candidate: () => true, items: [{ id: 'a', task: 'x', metadata: { label: 'pass' } }] }, bad: () => { throw new Error('no labels here') } },
})`

let made: Project
const ids: Record<string, string> = {}
const again = ['--ignore-conditions', 'itemTimeoutMs']
beforeAll(async () => {
  made = project({ 'jurist.config.mjs': config })
  for (const mode of ['good', 'half', 'none', 'late']) {
    await made.juristWith({ MODE: mode }, 'run', 'demo', '--retries', '1')
    ids[mode] = JSON.parse((await made.jurist('show', 'demo', '--json')).stdout).id
  }
})
afterAll(() => made[Symbol.dispose]())
const id = (mode: string) => ids[mode] ?? ''

describe('no gate fails open', () => {
  test('where nothing was decided in both runs, or an item is undecided that passed before', async () => {
    const none = await made.jurist('compare', id('good'), id('none'), '--fail-on', 'significant')
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('no item was decided in both runs')])
    expect((await made.jurist('compare', id('good'), id('none'))).code).toBe(0)
    const half = await made.jurist('compare', id('good'), id('half'), '--fail-on', 'regression')
    expect(half.code).toBe(1)
    expect(half.stderr).toContain('1 item passed before and ended undecided now (--fail-on regression)')
  })

  test('where judges used tokens and their cost is unknown', async () => {
    const { code, stderr } = await made.juristWith({ MODE: 'tokens' }, 'run', '--max-cost', '1', '--results', 'priced')
    expect([code, stderr]).toEqual([1, expect.stringContaining('the judges used tokens and declared none')])
    const dear = await made.juristWith({ MODE: 'dear' }, 'run', '--max-cost', '0.015', '--results', 'priced')
    expect([dear.code, dear.stderr]).toEqual([1, expect.stringContaining('cost $0.032, at most $0.015 wanted')])
  })

  test('and the hint of a refused comparison allows it', async () => {
    const { code, stderr } = await made.jurist('compare', id('good'), id('late'), '--ignore-conditions', 'retries')
    expect([code, stderr]).toEqual([2, expect.stringContaining('--ignore-conditions retries,itemTimeoutMs')])
    expect((await made.jurist('compare', id('good'), id('late'), ...again, '--fail-on', 'never')).code).toBe(0)
  })
})

describe('judging again', () => {
  test('may differ in what it judges, and its dry run counts what it would', async () => {
    const dry = await made.jurist('rejudge', id('late'), '--dry-run', '--json')
    expect(JSON.parse(dry.stdout)).toMatchObject({ trials: 2, judged: 0, skipped: { 'agent-not-completed': 2 } })
    const done = await made.jurist('rejudge', id('late'), '--judge-failed-runs', '--compare', '--json')
    expect(JSON.parse(done.stdout)).toMatchObject({ result: { kind: 'rejudge' }, comparison: {} })
  })

  test('refuses names that no trial of the run has, and takes no calibration for the latest run', async () => {
    const typo = await made.jurist('rejudge', id('good'), '-i', 'one', '-i', 'twoo', '--tag', 'quik', '--dry-run')
    expect([typo.code, typo.stderr]).toEqual([2, expect.stringContaining('Did you mean "two"?')])
    expect(typo.stderr).toContain('Did you mean "quick"?')
    await made.jurist('run', '--results', 'other')
    expect((await made.jurist('calibrate', 'cal', '--results', 'other')).code).toBe(0)
    const run = await made.jurist('run', '--baseline', 'latest', '--results', 'other')
    expect([run.code, run.stderr]).toEqual([0, expect.not.stringContaining('not measured alike')])
  })

  test('keeps what a bundle was judged to', async () => {
    await made.jurist('store', 'bundle', id('good'), '-o', 'good.tgz')
    const { stdout } = await made.jurist('rejudge', 'good.tgz', '--json', '--results', 'fresh')
    expect((await made.jurist('show', JSON.parse(stdout).result.id, '--results', 'fresh')).code).toBe(0)
  })
})

describe('what lies about and what is hostile', () => {
  test.skipIf(onPostgres)('a file among the results is no experiment', async () => {
    writeFileSync(join(made.directory, 'results', 'report.html'), 'x')
    expect((await made.jurist('list')).code).toBe(0)
    expect((await made.jurist('show', 'latest')).code).toBe(0)
    expect((await made.jurist('show', './nope')).code).toBe(2)
  })

  test.skipIf(onPostgres)('a record that leads out of the results leads nowhere', async () => {
    const directory = join(made.directory, 'results', 'demo', id('good'))
    const file = join(directory, 'items.jsonl')
    const text = readFileSync(file, 'utf8')
    made.write({ 'elsewhere/file': 'a secret' })
    const out = '../../../elsewhere'
    writeFileSync(
      file,
      text
        .replaceAll('"journalPath":null', `"journalPath":"${out}/file"`)
        .replaceAll('"workspacePath":null', `"workspacePath":"${out}"`),
    )
    const journal = await made.jurist('show', id('good'), 'one', '--journal')
    expect(journal.stdout).toContain('The journal cannot be read')
    const diff = await made.jurist('show', id('good'), 'one', '--diff')
    expect(diff.stdout).toContain('The workspace is no longer there.')
    expect(journal.stdout + diff.stdout).not.toContain('a secret')
    writeFileSync(file, text)
  })

  test('a workspace with a file that is not JSON can be redacted', async () => {
    await made.juristWith({ MODE: 'evil' }, 'run', '--preserve', 'all', '--results', 'evil')
    const bundled = await made.jurist(
      'store',
      'bundle',
      'latest',
      '--workspaces',
      '--redact',
      'secret',
      '-o',
      'e.tgz',
      '--results',
      'evil',
      '--json',
    )
    expect(JSON.parse(bundled.stdout)).toMatchObject({ redacted: 2 })
  })
})

describe('what is asked is answered, or refused', () => {
  test('export: JSON lines with --json, no half an export, no unknown group', async () => {
    const lines = (await made.jurist('export', id('good'), '--json')).stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).item_id)).toEqual(['one', 'two'])
    const half = await made.jurist('export', id('good'), 'nobody')
    expect([half.code, half.stdout]).toEqual([2, ''])
    expect((await made.jurist('export', id('good'), '--sweep', 'nope')).code).toBe(2)
  })

  test('list: an unknown experiment, a reason for nothing, a document for what was left out', async () => {
    const nobody = await made.jurist('list', 'dmo')
    expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('Did you mean "demo"?')])
    expect((await made.jurist('list', '--reason', 'x')).code).toBe(2)
    const excluded = await made.jurist('list', '--exclude', id('none'), '--reason', 'broken', '--json')
    expect(JSON.parse(excluded.stdout)).toEqual({ id: id('none'), excluded: 'broken' })
    expect((await made.jurist('show', id('good'), 'one', '--item', 'two')).code).toBe(2)
  })

  test('an unknown variant or experiment of a run is reported with those that exist', async () => {
    for (const [name, hint] of [
      ['demo@contrl', 'has the variant "contrl". Available: none.'],
      ['demo@baseline', 'names no baseline'],
      ['dmo@control', 'Did you mean "demo"?'],
    ] as const) {
      const { code, stderr } = await made.jurist('show', name)
      expect([code, stderr]).toEqual([2, expect.stringContaining(hint)])
    }
  })

  test('a function of the config that throws is a fault of the config', async () => {
    const { code, stderr } = await made.jurist('calibrate', 'bad')
    expect([code, stderr]).toEqual([2, expect.stringContaining('calibrations.bad')])
    using other = project({ 'jurist.config.mjs': 'export default { store: () => { throw new Error("no store") } }' })
    const list = await other.juristWith({ JURIST_RESULTS: '' }, 'list')
    expect([list.code, list.stderr]).toEqual([2, expect.stringContaining('no store')])
  })

  test('judge and validate name everything that is missing', async () => {
    const missing = ['--before', 'nob', '--reference', 'nor', '--expected', 'nox']
    const judged = await made.jurist('judge', '.', '--jury', 'x', ...missing)
    expect(judged.code).toBe(2)
    const rules = ['--judge', '{"type":"file-exists","path":"x"}']
    const { stderr } = await made.jurist('judge', '.', ...rules, ...missing)
    for (const name of ['nob', 'nor', 'nox']) expect(stderr).toContain(name)
    const twice = await made.jurist('judge', '.', ...rules, '--output-file', '-', '--expected', '-')
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('can be read once')])
    using other = project({
      'jurist.config.mjs': `export default { experiments: {
        broken: () => { throw new Error('no key') },
        lost: { dataset: [{ id: 'a', task: 'x' }], agent: () => ({}), knowledge: { directory: 'kb' } },
        absent: { dataset: 'nowhere', agent: () => ({}) },
      } }`,
    })
    const validated = await other.jurist('validate')
    expect(validated.code).toBe(1)
    for (const problem of ['no key', 'kb', 'nowhere']) expect(validated.stdout).toContain(problem)
    const unknown = await other.jurist('validate', 'brokn', 'lozt')
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringMatching(/"broken"(.|\n)*"lost"/)])
  })

  test('a config in YAML is refused with everything that is wrong', async () => {
    using other = project({
      'jurist.config.yaml':
        'experiments:\n  a:\n    dataset: d\n    agent: {use: nope}\nstoree: x\nthresholds: {passRate: 80}\n',
    })
    const { code, stderr } = await other.jurist('run')
    expect(code).toBe(2)
    for (const place of ['experiments.a.agent', 'storee', 'thresholds.passRate']) expect(stderr).toContain(place)
  })

  test('init makes no second config', async () => {
    using other = project()
    expect((await other.jurist('init', '--template', 'yaml')).code).toBe(0)
    for (const force of [[], ['--force']]) {
      const { code, stderr } = await other.jurist('init', ...force)
      expect([code, stderr]).toEqual([2, expect.stringContaining('jurist.config.yaml')])
    }
  })
})
