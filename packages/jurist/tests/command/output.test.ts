import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { configOf, project } from '../project.js'

/** `one` passes the visible tier only, `two` passes both. */
const tiers = `cascade([
  { name: 'visible', policy: 'reject-on-any-fail', jury: jury({ judges: { tests: () => true } }) },
  { name: 'hidden', policy: 'final', jury: jury({ judges: { tests: ({ metadata }) =>
    metadata.itemId === 'two' ? pass('12 tests passed') : fail('3 of 12 tests failed', { checks: [
      { name: 'empty input', passed: false, message: 'got null', location: { path: 'src/a.ts', line: 7 } } ] }) } }) },
])`
const variants = 'variants: { idle: {}, worker: { conditions: { tries: 2 } } },'

describe.concurrent('what a run prints', () => {
  test('variants: a row each, passes with their Wilson interval, visible next to hidden, the stored runs', async () => {
    using made = project({ 'jurist.config.ts': configOf({ jury: tiers, rest: variants }) })
    const { code, stdout, stderr } = await made.jurist('run')
    expect(code).toBe(0)
    const [titles = '', idle = '', worker = ''] = stdout.split('\n').slice(2)
    expect(titles.trim().split(/ {2,}/)).toEqual([
      'VARIANT',
      'PASSED',
      'RATE',
      '95 % WILSON',
      'visible',
      'hidden',
      'TIMEOUT',
      'COST',
      'TIME',
    ])
    for (const [line, name] of [
      [idle, 'idle'],
      [worker, 'worker'],
    ] as const)
      expect(line.trim().split(/ {2,}/).slice(0, 6)).toEqual([name, '1/2', '50.0 %', '9.5 to 90.5', '2/2', '1/2'])
    expect(stdout.match(/^ +(results\/demo\/)?\d{8}T\d{9}Z-\w{6}/gm)).toHaveLength(2)
    expect(stderr).toMatch(/\[4\/4\] (pass|fail) +worker\//)
  })

  test('one run: a line for each item, and why one failed', async () => {
    using made = project({ 'jurist.config.ts': configOf({ jury: tiers, rest: 'repetitions: 2,' }) })
    const { stdout } = await made.jurist('run')
    expect(stdout).toMatch(/ITEM +#1 +#2 +visible\/tests +hidden\/tests +COST +TIME/)
    expect(stdout).toMatch(/one +✗ +✗ +1\.00 +0\.00/)
    expect(stdout).toMatch(/By judge +visible 4\/4 +hidden 2\/4/)
    expect(stdout).toContain('hidden/tests: 3 of 12 tests failed (empty input: got null)')
  })

  test('undecided trials: the rate of decided trials never stands alone', async () => {
    const judges = "{ judges: { a: ({ metadata }) => metadata.itemId === 'one' ? abstain('nothing there') : true } }"
    using made = project({ 'jurist.config.ts': configOf({ jury: judges }) })
    const { stdout } = await made.jurist('run')
    expect(stdout).toContain('1 of 1 decided  100.0 %')
    expect(stdout).toMatch(/1 of 2 planned +50\.0 % +1 undecided: abstain 1/)
  })

  test('a command of a judge that ran out of time is a timeout, not one failure among others', async () => {
    const judges = "{ judges: { a: () => fail('timed out after 10 ms', { metadata: { status: 'timed-out' } }) } }"
    using made = project({ 'jurist.config.ts': configOf({ jury: judges }) })
    const { stdout } = await made.jurist('run')
    expect(stdout).toMatch(/one +T /)
    expect(stdout).toContain('2 timed out')
  })

  test('show goes down to each check', async () => {
    using made = project({ 'jurist.config.ts': configOf({ jury: tiers }) })
    await made.jurist('run')
    const { code, stdout } = await made.jurist('show', 'demo', 'one')
    expect(code).toBe(0)
    expect(stdout).toContain('hidden/tests: fail   3 of 12 tests failed')
    expect(stdout).toContain('✗ empty input: got null  src/a.ts:7')
    const failures = await made.jurist('show', '--failures')
    expect(failures.stdout).toContain('empty input')
    expect(failures.stdout).not.toContain('12 tests passed')
    const judge = await made.jurist('show', 'latest', 'two', '--judge', 'hidden/tests')
    expect(judge.stdout).toContain('12 tests passed')
    expect(judge.stdout).not.toContain('visible')
  })

  test('-o writes .json and .jsonl', async () => {
    using made = project({ 'jurist.config.ts': configOf({}) })
    await made.jurist('run', '-o', 'out/a.json', '-o', 'out/b.jsonl')
    expect(JSON.parse(readFileSync(join(made.directory, 'out/a.json'), 'utf8'))).toHaveLength(1)
    const lines = readFileSync(join(made.directory, 'out/b.jsonl'), 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).item_id)).toEqual(['one', 'two'])
  })
})

describe.concurrent('terminals', () => {
  const hostile = "'\\u001b[2J\\u001b]0;owned\\u0007::error::x\\r\\n<script>=cmd\\u202e'"
  const shouting = configOf({
    agent: `() => ({ status: 'completed', output: { type: 'text', text: ${hostile} } })`,
    jury: `{ judges: { a: () => fail(${hostile}, { checks: [{ name: ${hostile}, passed: false, message: ${hostile} }] }) } }`,
  })

  test('text of agents and judges cannot steer them', async () => {
    using made = project({ 'jurist.config.ts': shouting })
    const printed = [
      await made.jurist('run'),
      await made.jurist('show', '--failures', '--output'),
      await made.jurist('show', 'latest', 'one'),
      await made.jurist('judge', '.', '--judge', '{"module":"./none.ts"}'),
    ]
    for (const { stdout, stderr } of printed) {
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
      expect(stdout).not.toMatch(/^::error/m)
    }
    expect(printed[0]?.stdout).toContain('<script>=cmd')
  })

  test('without UTF-8 everything is ASCII', async () => {
    using made = project({ 'jurist.config.ts': configOf({ jury: tiers, rest: variants }) })
    const run = await made.juristWith({ LANG: 'C' }, 'run')
    const show = await made.juristWith({ LC_ALL: 'POSIX' }, 'show', '--failures')
    for (const { stdout, stderr } of [run, show]) expect(stdout + stderr).toMatch(/^[\n -~]*$/)
    expect(run.stdout).toContain('  x one#1  fail')
  })

  test('a narrow table leaves out judges, and says so', async () => {
    using made = project({ 'jurist.config.ts': configOf({ jury: tiers }) })
    const { stdout } = await made.juristWith({ COLUMNS: '40' }, 'run')
    expect(stdout).toMatch(/^ {2}ITEM {2}#1 .*\n(?: {2}.*\n)+ {2}\d more judges?: jurist show/m)
    expect(stdout).not.toContain('hidden/tests  ')
  })

  test('of many items those that did not pass are shown, and how many there are', async () => {
    const judges = "{ judges: { a: ({ metadata }) => !metadata.itemId.endsWith('7') } }"
    const rows = Array.from({ length: 250 }, (_, index) => JSON.stringify({ id: `row-${index}`, task: 'go' }))
    using made = project({
      'rows.jsonl': rows.join('\n'),
      'jurist.config.ts': configOf({ jury: judges }).replace(/dataset: .*/, "dataset: 'rows.jsonl',"),
    })
    const { stdout } = await made.jurist('run')
    expect(stdout).toContain('  row-7 ')
    expect(stdout).not.toContain('row-8 ')
    expect(stdout).toMatch(/250 items\. Shown: 20 of 25 that did not pass; every item: jurist show \d{8}T\S+ --all/)
    expect(stdout).toContain('225 of 250 decided')
    const all = await made.jurist('show', '--all')
    expect(all.stdout.match(/^ {2}row-\d+ .*1\.00/gm)).toHaveLength(225)
  })

  test('a run as Markdown; trials have no such form', async () => {
    using made = project({ 'jurist.config.ts': configOf({ jury: tiers }) })
    await made.jurist('run')
    expect((await made.jurist('show', '--format', 'markdown')).stdout).toMatch(/^# demo\n[\s\S]*\n\| Passed \| 50\.0 %/)
    const refused = await made.jurist('show', 'latest', 'one', '--format', 'markdown')
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('--format markdown shows a whole run')
  })

  test('colour only where it is wanted', async () => {
    using made = project({ 'jurist.config.ts': configOf({}) })
    expect((await made.jurist('run')).stdout).not.toContain('\u001b')
    expect((await made.juristWith({ FORCE_COLOR: '1' }, 'run')).stdout).toContain('\u001b[')
    expect((await made.juristWith({ FORCE_COLOR: '1', NO_COLOR: '1' }, 'run', '--no-color')).stdout).not.toContain(
      '\u001b',
    )
    expect((await made.jurist('run', '--color')).stdout).toContain('\u001b[')
  })
})
