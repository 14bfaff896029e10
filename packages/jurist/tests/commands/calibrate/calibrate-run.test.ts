import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

const rows = Array.from({ length: 12 }, (_, index) => {
  return `${JSON.stringify({ id: `q${index}`, task: `What is ${index} + 1?`, output: String(index + (index % 4 === 0 ? 2 : 1)), expectedOutput: String(index + 1) })}\n`
}).join('')

const config = `
juries:
  one-digit: { type: output-text, matches: '^[0-9]$' }
  wrote: { type: file-content, path: answer.txt, contains: '42' }
experiments:
  sums:
    dataset: rows.jsonl
    jury: { vote: majority, judges: { right: { type: matches-expected }, digits: { type: output-text, matches: '^[0-9]+$' }, one: { type: output-text, contains: '1' } } }
  writes:
    dataset: files.jsonl
    agent: { command: ['node', '-e', 'require("fs").writeFileSync("answer.txt", process.argv[1])', '{{prompt}}'] }
    jury: { type: file-exists, path: answer.txt }
    preserveWorkspaces: all
`

const csv = [
  'itemId,annotator,label,note',
  ...Array.from({ length: 12 }, (_, index) => `q${index},ana,${index % 4 === 0 && index < 8 ? 'fail' : 'pass'},`),
  // q3 is where ben is careless; on q8 he sees what ana missed.
  ...Array.from({ length: 9 }, (_, index) => `q${index},ben,${index % 4 === 0 || index === 3 ? 'fail' : 'pass'},seen`),
].join('\n')

let made: Project
const allRuns = async () => JSON.parse((await made.jurist('list', '--all', '--json')).stdout)

beforeAll(async () => {
  const files = ['42', '41', '42'].map((task, index) => `${JSON.stringify({ id: `f${index}`, task })}\n`).join('')
  made = project({ 'rows.jsonl': rows, 'files.jsonl': files, 'jurist.config.yaml': config, 'labels.csv': csv })
  await made.jurist('run', 'sums')
  await made.jurist('run', 'writes')
})
afterAll(() => made[Symbol.dispose]())

const documentOf = async (...argv: readonly string[]) =>
  JSON.parse((await made.jurist('calibrate', '--run', ...argv, '--json')).stdout)

describe('jurist calibrate --run', () => {
  test('measures the stored jury and each member, and tells noise of labels from errors', async () => {
    const before = await allRuns()
    const document = await documentOf('sums', '--labels', 'labels.csv')
    expect(document.table.map(({ judge, matches, scored }: never) => [judge, matches, scored])).toEqual([
      ['jury', 10, 10],
      ['right', 10, 10],
      ['digits', 8, 10],
      ['one', 5, 10],
    ])
    expect(document.people).toMatchObject({ annotators: ['ana', 'ben'], trials: 12, undecided: 2 })
    expect(document.people.pairs).toMatchObject([{ trials: 9, agreeing: 7 }])
    expect(document.onLabels[0]).toEqual({
      judge: 'jury',
      agreed: { matches: 7, of: 7 },
      single: { matches: 3, of: 3 },
      contested: { matches: 2, of: 4 },
    })
    // Nothing was judged, so no run was added.
    expect(await allRuns()).toEqual(before)
  })

  test('measures the jury and its member where it has one, and lists what to read once', async () => {
    made.write({ 'writes.csv': 'itemId,label\nf0,pass\nf1,fail\nf2,pass\n' })
    const document = await documentOf('writes', '--labels', 'writes.csv')
    const rows = document.table.map(({ judge, matches, scored }: never) => [judge, matches, scored])
    expect(rows).toEqual(['jury', 'fileExists'].map((judge) => [judge, 2, 3]))
    expect(document.disagreements.map(({ judge, itemId }: never) => [judge, itemId])).toEqual([['jury', 'f1']])
  })

  test('begins with a sentence for each judge and the matrix of the jury, and fits a screen', async () => {
    const { stdout } = await made.juristWith({ COLUMNS: '60' }, 'calibrate', '--run', 'sums', '--labels', 'labels.csv')
    const [title, ...lines] = stdout.split('\n')
    expect(title).toMatch(/^Run \S+ against its labels$/)
    const [sentences = '', matrix = ''] = lines.join('\n').split('\n\n')
    expect(sentences.match(/^ {2}\S+ passes \d+ of \d+ trials/gm)).toEqual(
      ['jury', 'right', 'digits', 'one'].map((judge) => expect.stringContaining(`  ${judge} passes`)),
    )
    expect(sentences).toMatch(/\n {2}Rough: people labelled only 2 fails and 8 passes\.$/)
    expect(matrix).toMatch(/People \\ jury +fail +pass\n +fail +2 +0\n +pass +0 +8$/)
    expect(stdout).toMatch(/calibrate --run \S+\s+--labels\s+labels\.csv\s+--all\s*$/)
    expect(lines.length).toBeLessThan(70)
    expect(stdout).not.toContain('Pairs of judges')
  })

  test('with --all lists what to read, with reason, answer and the command that labels again', async () => {
    const { code, stdout } = await made.jurist('calibrate', '--run', 'sums', '--labels', 'labels.csv', '--all')
    expect(code).toBe(0)
    expect(stdout).toContain('one differs from the label on 5 trials')
    expect(stdout).toMatch(
      /q1#1: the judge says fail, people agree on the label\n {2}Labels: ana: pass, ben: pass \(seen\)\n {2}Reason: .*does not contain "1".*\n {2}Task: What is 1 \+ 1\?\n {2}Again: change its row in labels\.csv\n {2}Output:\n {4}2\n/,
    )
    const { stdout: markdown } = await made.jurist(
      ...['calibrate', '--run', 'sums', '--labels', 'labels.csv', '--all', '--format', 'markdown'],
    )
    expect(markdown).toContain('| one | 2 of 7 (28.6 %) | 3 of 3 (100.0 %) | 2 of 4 (50.0 %) |')
  })

  test('a label that is made again replaces the old one', async () => {
    await made.juristReading('ppf', {}, 'label', 'sums', '--by', 'ana', '--sample', '3')
    const [run = ''] = await made.results.runs('sums')
    const [{ itemId }] = await made.results.labels('sums', run)
    await made.juristReading('f', {}, 'label', 'sums', '--by', 'ana', '--item', itemId)
    const last = (await made.results.labels('sums', run)).at(-1)
    expect(last).toMatchObject({ itemId, label: 'fail', annotator: 'ana', use: 'explore' })
    const { people, notes } = await documentOf('sums')
    expect(people.trials).toBe(3)
    expect(notes[0]).toContain('1 label of 3 come from a stratified or chosen sample')
    const unknown = await made.jurist('label', 'sums', '--item', 'q99')
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('has no completed trial of "q99"')])
  })

  test('a named judge judges the stored trials again, texts and workspaces alike', async () => {
    const text = await documentOf('sums', '--labels', 'labels.csv', '--judge', 'one-digit')
    expect(text.table.map(({ judge }: never) => judge).toSorted()).toEqual([
      'digits',
      'jury',
      'one',
      'one-digit',
      'right',
    ])
    expect(text.comparisons.some(({ judges }: never) => String(judges) === 'one-digit,jury')).toBe(true)
    expect(await made.results.runs('sums.one-digit')).toHaveLength(1)
    writeFileSync(join(made.directory, 'files.csv'), 'itemId,label\nf0,pass\nf1,fail\nf2,pass\n')
    const files = await documentOf('writes', '--labels', 'files.csv', '--judge', 'wrote')
    expect(files.table.map(({ judge, matches, scored }: never) => [judge, matches, scored])).toEqual([
      ['wrote', 3, 3],
      ['jury', 2, 3],
      ['fileExists', 2, 3],
    ])
  })

  test.each([
    [['--run', 'sums', '--labels', 'none.csv'], 'does not exist'],
    [['--run', 'writes'], 'has no labels'],
    [['--run', 'sums', '--labels', 'labels.csv', '--judge', 'one-digits'], 'Did you mean "one-digit"?'],
    [['--labels', 'labels.csv'], '--labels needs --run'],
    [['--judge', 'one-digit'], '--judge needs --run'],
    [['--all'], '--all needs --run'],
    [['--run', 'sums', '--from', 'latest'], '--run measures the judges of a run'],
    [['name', '--run', 'sums'], 'name it with --judge'],
  ])('refuses %j', async (argv, message) => {
    const { code, stderr } = await made.jurist('calibrate', ...argv)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  test('refuses labels of another run', async () => {
    writeFileSync(join(made.directory, 'other.csv'), 'itemId,label\nelsewhere,pass\n')
    const { code, stderr } = await made.jurist('calibrate', '--run', 'sums', '--labels', 'other.csv')
    expect([code, stderr]).toEqual([2, expect.stringContaining('none of 1 label is of a completed trial of run')])
  })
})
