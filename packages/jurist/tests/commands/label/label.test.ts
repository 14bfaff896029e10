import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

const rows = Array.from({ length: 12 }, (_, index) => {
  return `${JSON.stringify({ id: `q${index}`, task: `What is ${index} + 1?`, output: String(index + (index % 4 === 0 ? 2 : 1)), expectedOutput: String(index + 1) })}\n`
}).join('')

const config = `
experiments:
  sums: { dataset: rows.jsonl, jury: { type: matches-expected } }
`

let made: Project
let run: string
beforeAll(async () => {
  made = project({ 'rows.jsonl': rows, 'jurist.config.yaml': config })
  await made.jurist('run', 'sums')
  run = (await made.results.runs('sums'))[0] ?? ''
})
afterAll(() => made[Symbol.dispose]())

const lines = () => made.results.labels('sums', run)
const press = (keys: string, ...argv: readonly string[]) => made.juristReading(keys, {}, 'label', run, ...argv)

describe('jurist label', () => {
  test('shows the trial and never a verdict, and keeps each label at its key', async () => {
    const { code, stdout } = await press('pfs', '--by', 'ana', '--sample', '4', '--seed', '3')
    expect(code).toBe(0)
    expect(stdout).toMatch(/Task\n {4}What is \d+ \+ 1\?\n\n {2}Expected\n {4}\d+\n\n {2}Output\n {4}\d+\n/)
    expect(stdout).not.toMatch(/matchesExpected|is not the expected|judged/)
    expect(stdout).toContain('3 of 4 trials labelled by ana: 1 pass, 1 fail, 1 skipped.')
    expect(stdout).toContain('Continue with the same command.')
    expect((await lines()).map(({ label, annotator, use }) => [label, annotator, use])).toEqual([
      ['pass', 'ana', 'certify'],
      ['fail', 'ana', 'certify'],
      ['skip', 'ana', 'certify'],
    ])
    expect((await lines())[0]).toMatchObject({
      shown: expect.stringMatching(/^[0-9a-f]{64}$/),
      at: expect.stringMatching(/^20/),
    })
  })

  test('continues where it stopped, with notes, categories and what was taken back', async () => {
    const before = (await lines()).length
    const { stdout } = await press('upnoff by one\ncmath, careless\nff', '--by', 'ana', '--sample', '4', '--seed', '3')
    expect(stdout).toContain('4 of 4')
    expect(stdout).toContain('4 of 4 trials labelled by ana: 2 pass, 2 fail, 0 skipped.')
    const [back, again, noted] = (await lines()).slice(before)
    expect([back.label, again.label]).toEqual([null, 'pass'])
    expect(again.itemId).toBe(back.itemId)
    expect(noted).toMatchObject({ label: 'fail', note: 'off by one', categories: ['math', 'careless'] })
    expect((await press('p', '--by', 'ana', '--sample', '4', '--seed', '3')).stdout).toContain('4 of 4 trials labelled')
  })

  test('tells two people how far they agree, and gives a third what they disagree on', async () => {
    const { stdout } = await press('pppp', '--by', 'ben', '--sample', '4', '--seed', '3')
    expect(stdout).toContain('ana and ben agree on 2 of 4 trials')
    expect(stdout).toContain('People disagree on 2 trials. A third opinion: npx jurist label'.replace('npx ', ''))
    const third = await press('ff', '--by', 'carl', '--disagreements', '--json')
    expect(JSON.parse(third.stdout)).toMatchObject({ annotator: 'carl', trials: 2, labelled: 2, remaining: 0 })
    expect((await lines()).at(-1)).toMatchObject({ annotator: 'carl', use: 'explore' })
  })

  test('a stratified sample certifies nothing, and says so', async () => {
    const { stderr } = await press('p', '--by', 'dora', '--stratify', 'confidence', '--sample', '4')
    expect(stderr).toContain('certify nothing')
    expect((await lines()).at(-1)).toMatchObject({ annotator: 'dora', use: 'explore' })
  })

  test('shows whole parts and help on their keys', async () => {
    const { stdout } = await press('xodjq', '--by', 'eva', '--labels', 'own.jsonl')
    expect(stdout.split('p pass, f fail, s skip').length).toBe(3)
    expect(stdout).toContain('No journal was kept.')
    expect(stdout).toContain('0 of 12 trials labelled by eva')
  })

  test.each([
    [['label', 'nothing'], 'nothing'],
    [['label', 'latest', '--stratify', 'confidence', '--disagreements'], 'not both'],
    [['label', 'latest', '--labels', 'x.csv'], '.jsonl'],
  ])('refuses %j', async (argv, problem) => {
    const { code, stderr } = await made.jurist(...argv)
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)])
  })
})
