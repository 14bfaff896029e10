import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

const rows = Array.from({ length: 30 }, (_, index) => {
  const output = index === 0 ? '=HYPERLINK("http://evil")' : `answer ${index}`
  return `${JSON.stringify({ id: `q${index}`, task: `Question ${index}`, output, expectedOutput: 'x' })}\n`
}).join('')

const config = `
experiments:
  all: { dataset: rows.jsonl, jury: { type: output-text, contains: answer } }
calibrations:
  answers: { tiers: [{ name: rule, candidate: { type: output-text, contains: answer } }] }
`

let made: Project
let runId = ''
beforeAll(async () => {
  made = project({ 'rows.jsonl': rows, 'jurist.config.yaml': config })
  await made.jurist('run', 'all')
  runId = (await made.results.runs('all'))[0] ?? ''
})
afterAll(() => made[Symbol.dispose]())

const inProject = (file: string) => join(made.directory, file)
/** The rows of a sheet, in which no cell has a comma. */
const sheet = (file: string): readonly Readonly<Record<string, string>>[] => {
  const [header = [], ...lines] = readFileSync(inProject(file), 'utf8')
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
  return lines.map((cells) => Object.fromEntries(header.map((column, index) => [column, cells[index] ?? ''])))
}

describe('jurist export --table labels', () => {
  test('without labels it says how to make some', async () => {
    const { code, stderr } = await made.jurist('export', 'all', '--table', 'labels')
    expect([code, stderr]).toEqual([2, expect.stringContaining(`jurist export ${runId} --table labels --by NAME`)])
  })

  test('a sheet is filled in, measured and read again', async () => {
    const argv = ['export', 'all', '--table', 'labels', '--by', 'ana', '--sample', '20', '--seed', '3', '-o', 'ana.csv']
    expect((await made.jurist(...argv)).code).toBe(0)
    const empty = sheet('ana.csv')
    expect(empty).toHaveLength(20)
    expect(Object.keys(empty[0] ?? {})).toEqual([
      ...[
        'itemId',
        'repetition',
        'annotator',
        'label',
        'note',
        'categories',
        'task',
        'sources',
        'output',
        'expectedOutput',
      ],
      ...['use', 'by', 'seconds', 'at', 'shown', 'run'],
    ])
    // What a spreadsheet saves: semicolons between cells, words as people write them, rows without a label.
    const filled = empty.map((row, index) =>
      index < 15 ? { ...row, label: 'Pass', categories: index === 0 ? '"tone; length"' : '', note: '-' } : row,
    )
    const lines = [Object.keys(empty[0] ?? {}), ...filled.map((row) => Object.values(row))]
    writeFileSync(inProject('filled.csv'), lines.map((cells) => cells.join(';')).join('\n'))
    const { stdout } = await made.jurist('calibrate', '--run', 'all', '--labels', 'filled.csv', '--json')
    expect(JSON.parse(stdout).people).toMatchObject({ annotators: ['ana'], trials: 15 })
    const certified = await made.jurist(
      'calibrate',
      'answers',
      '--certify',
      '--run',
      'all',
      '--labels',
      'filled.csv',
      '--json',
    )
    expect(JSON.parse(certified.stdout).counts.items).toBe(15)
  })

  test('shows the same trials as jurist label, in its order', async () => {
    await made.juristReading('pf', {}, 'label', 'all', '--by', 'ben', '--sample', '20', '--seed', '3')
    await made.jurist('export', 'all', '--table', 'labels', '-o', 'ben.csv')
    const order = sheet('ana.csv').map(({ itemId }) => itemId)
    expect(sheet('ben.csv').map(({ itemId, label }) => [itemId, label])).toEqual([
      [order[0], 'pass'],
      [order[1], 'fail'],
    ])
    const { stdout } = await made.jurist('export', 'all', '--table', 'labels', '--format', 'jsonl')
    expect(
      stdout
        .split('\n')
        .slice(0, 2)
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { itemId: order[0], annotator: 'ben', label: 'pass', run: runId },
      { itemId: order[1], annotator: 'ben', label: 'fail', run: runId },
    ])
    writeFileSync(inProject('again.jsonl'), stdout)
    const again = await made.jurist('calibrate', '--run', 'all', '--labels', 'again.jsonl', '--json')
    expect(JSON.parse(again.stdout).people.trials).toBe(2)
  })

  test('no cell is a formula', async () => {
    await made.jurist('export', 'all', '--table', 'labels', '--by', 'eva', '-o', 'eva.csv')
    expect(readFileSync(inProject('eva.csv'), 'utf8')).toContain(`"'=HYPERLINK(""http://evil"")"`)
  })

  test('labels of another run do not count, and the report says so', async () => {
    const csv = `itemId,label,run\nq1,pass,${runId}\nq2,pass,20200101T000000000Z-aaaaaa\nq99,pass,\n`
    writeFileSync(inProject('mixed.csv'), csv)
    const { stdout } = await made.jurist('calibrate', '--run', 'all', '--labels', 'mixed.csv', '--json')
    expect(JSON.parse(stdout).people.trials).toBe(1)
    expect(JSON.parse(stdout).notes.slice(0, 2)).toEqual([
      '1 label of another run (q2#1): left out.',
      `1 label of trials that run ${runId} does not have (q99#1): left out.`,
    ])
  })

  test.each([
    [['--table', 'items', '--by', 'ana'], '--by needs --table labels'],
    [['--table', 'labels', '--sample', '3'], '--sample needs --by'],
    [['--table', 'labels', '-o', 'labels.md'], '--table works with csv and jsonl'],
  ])('refuses %j', async (argv, problem) => {
    const { code, stderr } = await made.jurist('export', 'all', ...argv)
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)])
  })
})
