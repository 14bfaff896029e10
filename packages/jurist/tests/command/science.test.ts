import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../project.js'

/** An agent that is right on as many of twenty items as its variant says; juries that differ. */
const config = `
import { defineConfig, jury, outputText, consensus } from 'jurist'

const answering = (right) => ({ metadata }) => ({
  status: 'completed',
  costUsd: 0.01,
  output: { type: 'text', text: Number(metadata.itemId.slice(1)) < right ? 'yes' : 'no <script>alert(1)</script>' },
})
const strict = jury({ judges: { yes: outputText({ equals: 'yes' }) }, vote: consensus() })
const mild = jury({ judges: { said: outputText({ matches: '.' }) }, vote: consensus() })

export default defineConfig({
  experiments: {
    answers: {
      dataset: 'rows.jsonl',
      agent: answering(0),
      variants: { poor: { agent: answering(6) }, good: { agent: answering(18) } },
      jury: strict,
    },
  },
  juries: { strict, mild },
})`
const rows = Array.from(
  { length: 20 },
  (_, index) => `{"id":"i${index}","task":"say yes","bucket":"b${index % 2}"}\n`,
).join('')

let made: Project
/** The first runs of each variant: later ones take the name `answers@…`. */
const ids = { poor: '', good: '' }
beforeAll(async () => {
  made = project({ 'rows.jsonl': rows, 'jurist.config.mjs': config })
  for (const variant of ['poor', 'good'] as const) {
    const { code, stderr } = await made.jurist('run', '--variant', variant)
    expect([code, stderr]).toEqual([0, stderr])
    ids[variant] = JSON.parse((await made.jurist('show', `answers@${variant}`, '--json')).stdout).id
  }
})
afterAll(() => made[Symbol.dispose]())

describe('jurist compare', () => {
  test('says what is better, with its uncertainty, and lists what changed', async () => {
    const { code, stdout } = await made.jurist('compare', 'answers@poor', 'answers@good')
    expect(code).toBe(0)
    expect(stdout).toMatch(/30\.0 % → 90\.0 %/)
    expect(stdout).toMatch(/12 better, 0 worse/)
    expect(stdout).toMatch(/better|improved/i)
  })

  test('a regression is code 1 where it is asked for; to look is no gate', async () => {
    const worse = await made.jurist('compare', ids.good, ids.poor, '--fail-on', 'regression')
    expect([worse.code, worse.stderr]).toEqual([
      1,
      expect.stringContaining('12 items regressed (--fail-on regression)'),
    ])
    expect((await made.jurist('compare', ids.good, ids.poor, '--fail-on', 'significant', '--alpha', '.05')).code).toBe(
      1,
    )
    expect((await made.jurist('compare', ids.good, ids.poor)).code).toBe(0)
    const drop = await made.jurist('compare', ids.good, ids.poor, '--fail-on', 'never', '--max-drop', 'yes=.5')
    expect([drop.code, drop.stderr]).toEqual([1, expect.stringContaining('--max-drop')])
  })

  test('a limit holds for every item, whichever are shown', async () => {
    const score = JSON.parse((await made.jurist('compare', ids.good, ids.poor, '--json')).stdout).scores
    const limit = `${Object.keys(score)[0]}=0.1`
    const flags = ['--fail-on', 'never', '--max-drop', limit, '--only', 'improved']
    const { code, stderr } = await made.jurist('compare', ids.good, ids.poor, ...flags)
    expect([code, stderr]).toEqual([1, expect.stringContaining('dropped by more than --max-drop allows')])
  })

  test('JSON, Markdown, a file, only what changed', async () => {
    const { stdout } = await made.jurist('compare', ids.poor, ids.good, '--json', '--only', 'improved')
    const comparison = JSON.parse(stdout)
    expect(comparison.conclusion).toBe('improved')
    expect(comparison.items).toHaveLength(12)
    const markdown = await made.jurist('compare', ids.poor, ids.good, '--format', 'markdown', '-o', 'c.md')
    expect(markdown.stdout).toContain('| ')
    expect(readFileSync(join(made.directory, 'c.md'), 'utf8').trim()).toBe(markdown.stdout.trim())
  })

  test('runs that were not measured alike are refused with every condition and the flag that allows it', async () => {
    const again = await made.jurist('rejudge', ids.good, '--jury', 'mild', '--json')
    const { id } = JSON.parse(again.stdout).result
    const refused = await made.jurist('compare', ids.poor, id)
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('not measured alike')
    expect(refused.stderr).toMatch(/jury\s+\S+/)
    expect(refused.stderr).toContain('--ignore-conditions jury')
    const json = await made.jurist('compare', ids.poor, id, '--json')
    expect(JSON.parse(json.stdout).error).toMatchObject({
      code: 'conditions-differ',
      remedy: expect.stringMatching(/rejudge \S+ --jury NAME\nCompare anyway with --ignore-conditions jury, .*--vary/),
    })
    expect((await made.jurist('compare', ids.poor, id, '--ignore-conditions', 'jury')).code).toBe(0)
    expect((await made.jurist('compare', ids.poor, id, '--vary', 'jury')).code).toBe(0)
  })

  test('a run judged again is compared with its source as it is, and no name means it by itself', async () => {
    const { id } = JSON.parse((await made.jurist('rejudge', ids.good, '--jury', 'mild', '--json')).stdout).result
    expect((await made.jurist('compare', ids.good, id)).code).toBe(0)
    expect(JSON.parse((await made.jurist('show', 'latest', '--json')).stdout).kind).toBe('agent')
  })

  test.each([
    [['--alpha', '2'], /--alpha must be a rate/],
    [['--tolerance', 'x=y'], /--tolerance/],
    [['--max-drop', 'yes'], /--max-drop must be key=rate/],
    [['--max-drop', 'nosuch=0'], /No item has the score "nosuch" on both sides\. Available: /],
    [['--vary', 'modell'], /Neither run has the condition "modell"/],
    [['--ignore-conditions', 'jury,mdl'], /Neither run has the condition "mdl"/],
    [['--fail-on', 'always'], /--fail-on must be one of/],
    [['-o', 'x.pdf'], /must end in \.md, \.json, \.txt/],
  ])('%j is refused', async (flags, says) => {
    const { code, stderr } = await made.jurist('compare', ids.poor, ids.good, ...flags)
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)])
  })
})

describe('jurist show', () => {
  test.each([
    [['--judge', 'says'], /--judge needs an item, or --failures/],
    [['--journal'], /--journal needs an item/],
    [['--verdict'], /--verdict needs an item/],
    [['i1', '--judge', 'sayz'], /No judgment has the path "sayz"\./],
  ])('%j is refused', async (flags, says) => {
    const { code, stderr } = await made.jurist('show', ids.poor, ...flags)
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)])
  })

  test('says how to look closer from the current directory', async () => {
    using elsewhere = project()
    const place = ['-C', made.directory, '--results', `${elsewhere.directory}/results`]
    const { stdout, code } = await elsewhere.jurist(...place, 'run', '--variant', 'poor', '--item', 'i1')
    const hint = /Look closer: {2}jurist (.*)/.exec(stdout)?.[1] ?? ''
    expect([code, hint]).toEqual([0, expect.stringMatching(/^-C \S+ --results \S+ show \S+/)])
    expect((await elsewhere.jurist(...hint.split(' '))).code).toBe(0)
  })
})

describe('jurist rejudge', () => {
  test('judges again without the agent; the source stays as it is', async () => {
    const before = await made.results.trials('answers', ids.poor)
    const { code, stdout } = await made.jurist('rejudge', ids.poor, '--jury', 'mild', '--compare')
    expect(code).toBe(0)
    expect(stdout).toMatch(/before\s+6\s+14/)
    expect(stdout).toMatch(/now\s+20\s+0/)
    expect(await made.results.trials('answers', ids.poor)).toEqual(before)
  })

  test('selected trials, a dry run, an unknown jury', async () => {
    const dry = await made.jurist('rejudge', ids.poor, '--dry-run', '--bucket', 'b0', '--json')
    expect(JSON.parse(dry.stdout)).toMatchObject({ trials: 10, judged: 10 })
    const unknown = await made.jurist('rejudge', ids.poor, '--jury', 'strikt')
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('strict')])
    const empty = await made.jurist('rejudge', ids.poor, '--item', 'nobody')
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('No item "nobody"')])
    const status = await made.jurist('rejudge', ids.poor, '--status', 'any')
    expect([status.code, status.stderr]).toEqual([2, expect.stringContaining("Unknown option '--status'")])
    const tier = await made.jurist('rejudge', ids.poor, '--tier', 'meaning', '--dry-run')
    expect([tier.code, tier.stderr]).toEqual([2, expect.stringContaining('The jury is not a cascade')])
  })
})

describe('jurist export', () => {
  test('tables with stable columns, and lines of JSON', async () => {
    const csv = await made.jurist('export', ids.poor)
    const [head = '', ...lines] = csv.stdout.trim().split('\n')
    expect(head).toMatch(/^run_id,experiment,variant,session,item_id,repetition,/)
    expect(lines).toHaveLength(20)
    const jsonl = await made.jurist('export', ids.poor, ids.good, '--format', 'jsonl', '--table', 'judgments')
    expect(jsonl.stdout.trim().split('\n')).toHaveLength(2 * 20 * 2)
    const since = await made.jurist('export', '--since', '2020-01-01', '--table', 'runs')
    expect(since.stdout.trim().split('\n').length).toBeGreaterThanOrEqual(3)
  })

  test('JUnit and JSON hold several runs', async () => {
    const both = await made.jurist('export', ids.poor, ids.good, '--format', 'junit')
    expect([both.code, both.stdout.match(/<testsuite /g)?.length]).toEqual([0, 4])
    const json = await made.jurist('export', ids.poor, ids.good, '--format', 'json')
    expect(JSON.parse(json.stdout)).toMatchObject([{ id: ids.poor }, { id: ids.good }])
  })

  test('documents by the end of the name, escaped for where they land', async () => {
    for (const name of ['r.xml', 'r.html', 'r.md', 'r.json']) {
      const { code, stderr } = await made.jurist('export', ids.poor, '-o', name)
      expect([code, stderr]).toEqual([0, stderr])
      expect(existsSync(join(made.directory, name))).toBe(true)
    }
    expect(readFileSync(join(made.directory, 'r.html'), 'utf8')).not.toContain('<script>alert')
    expect(readdirSync(made.directory).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  test.each([
    [['export'], /Name what to export/],
    [['export', 'latest', '--since', 'soon'], /must be an instant/],
    [['export', 'latest', '-o', 'x.foo'], /--output x\.foo must end in \.csv, \.jsonl, .*Or add --format/],
    [['export', 'latest', '--table', 'items', '--format', 'html'], /works with csv and jsonl/],
    [['export', '--session', 'nothing'], /No run in \S+ fits/],
  ])('%j is refused', async (argv, says) => {
    const { code, stderr } = await made.jurist(...argv)
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)])
  })
})

describe('jurist run with a baseline, files and GitHub', () => {
  test('a regression fails the run, and every report says so', async () => {
    const files = ['-o', 'run.md', '-o', 'run.html', '-o', 'run.csv', '--reporter', 'junit=run.xml']
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(made.directory, 'summary.md') }
    const worse = await made.juristWith(env, 'run', '--variant', 'poor', '--baseline', ids.good, ...files)
    expect([worse.code, worse.stderr]).toEqual([1, expect.stringContaining('12 items regressed')])
    expect(readFileSync(join(made.directory, 'summary.md'), 'utf8')).toMatch(/30\.0 %/)
    for (const name of ['run.md', 'run.html', 'run.csv', 'run.xml'])
      expect(readFileSync(join(made.directory, name), 'utf8').length).toBeGreaterThan(500)
    const never = await made.jurist('run', '--variant', 'poor', '--baseline', ids.good, '--fail-on', 'never')
    expect([never.code, never.stderr]).toEqual([0, never.stderr])
  })

  test.each([
    [['run', '--variant', 'poor', '--baseline', 'nothing'], /No run "nothing"/],
    [['run', '--variant', 'poor', '-o', 'x.pdf'], /must end in \.csv/],
    [['run', '--variant', 'poor', '--reporter', 'slack'], /Unknown reporter "slack"/],
  ])('%j is refused', async (argv, says) => {
    const { code, stderr } = await made.jurist(...argv)
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)])
  })
})
