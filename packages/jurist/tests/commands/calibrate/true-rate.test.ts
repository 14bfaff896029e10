import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

const count = 100

/** Every fifth answer is wrong, and the judge, which only looks for digits, also passes half of the wrong ones. */
const answers = (wrongFrom: number) =>
  Array.from({ length: count }, (_, index) => {
    const isWrong = index % 5 === 0 && index >= wrongFrom
    const output = !isWrong ? String(index + 1) : index % 10 === 0 ? '12345' : 'many'
    return JSON.stringify({ id: `q${index}`, task: `${index} + 1?`, output, metadata: { isWrong } })
  }).join('\n')

const experiment = (rows: string) => `{ dataset: ${rows}, jury: { type: output-text, matches: '^[0-9]+$' } }`
const config = `experiments:\n  sums: ${experiment('rows.jsonl')}\n  better: ${experiment('better.jsonl')}\n`
const label = (index: number, more: object = {}) =>
  JSON.stringify({ itemId: `q${index}`, label: index % 5 === 0 ? 'fail' : 'pass', ...more })
const lines = (from: number, to: number, more: object = {}) =>
  Array.from({ length: to - from }, (_, place) => label(from + place, more)).join('\n')

let made: Project
beforeAll(async () => {
  made = project({
    'rows.jsonl': answers(0),
    'better.jsonl': answers(count),
    'jurist.config.yaml': config,
    'twenty.jsonl': lines(0, 40),
    'few.jsonl': lines(0, 12),
    'models.jsonl': lines(0, 40, { by: 'models' }),
    'chosen.jsonl': `${lines(0, 40)}\n${lines(40, 50, { use: 'explore' })}`,
  })
  await made.jurist('run', 'sums')
  await made.jurist('run', 'better')
})
afterAll(() => made[Symbol.dispose]())

const calibrated = (...argv: readonly string[]) => made.jurist('calibrate', '--run', 'sums', ...argv)
const estimateOf = async (file: string) =>
  JSON.parse((await calibrated('--labels', file, '--json')).stdout).estimate as {
    readonly rate: { readonly run: { readonly low: number; readonly high: number } } | null
    readonly judged: number
  }

describe('a true pass rate from labels and verdicts', () => {
  test('contains the truth where the verdicts are too kind, with what they are worth and what to do next', async () => {
    const { rate, judged } = await estimateOf('twenty.jsonl')
    expect(judged).toBe(0.9)
    expect(rate?.run.low).toBeLessThan(0.8)
    expect(rate?.run.high).toBeGreaterThan(0.8)
    expect(rate?.run.high).toBeLessThan(0.9)
    const { stdout } = await calibrated('--labels', 'twenty.jsonl')
    expect(stdout).toContain('True pass rate, by labels and verdicts')
    expect(stdout).toMatch(
      /People would pass 8\d\.\d % of these 100 trials \(95 %: .*\), by 40 labels and the verdicts/,
    )
    expect(stdout).toContain('Of 40 labelled trials the judges pass 4 that people fail, and fail 0 that people pass.')
    expect(stdout).toMatch(/20 more labels would narrow the interval to about ± \d\.\d points: .*label .* --next 20/)
  })

  test('needs twenty labels, and leaves out labels of chosen trials', async () => {
    expect((await calibrated('--labels', 'few.jsonl')).stdout).toContain(
      '12 trials of 100 labelled: 8 more labels needed to estimate the true pass rate',
    )
    const [chosen, without] = [await estimateOf('chosen.jsonl'), await estimateOf('twenty.jsonl')]
    expect(chosen.rate).toEqual(without.rate)
    expect((await calibrated('--labels', 'chosen.jsonl')).stdout).toContain('Labels left out: 10 of chosen trials.')
  })

  test.each([
    ['twenty.jsonl', '60%', 0, ''],
    ['twenty.jsonl', '80%', 1, 'not decided whether the true pass rate is at least 80.0 %: about'],
    ['twenty.jsonl', '95%', 1, 'not so that the true pass rate is at least 95.0 %'],
    ['few.jsonl', '10%', 1, 'about 8 more labels needed'],
    ['models.jsonl', '60%', 1, 'models gave some of the labels'],
  ])('%s with --threshold-true %s exits %i', async (file, threshold, code, said) => {
    const gated = await calibrated('--labels', file, '--threshold-true', threshold)
    expect([gated.code, gated.stderr]).toEqual([code, expect.stringContaining(said)])
  })

  test('accepts labels of models only when told to', async () => {
    const allowed = await calibrated(...['--labels', 'models.jsonl', '--threshold-true', '60%', '--allow-model-labels'])
    expect([allowed.code, allowed.stdout]).toEqual([0, expect.stringContaining('Models gave some of these labels')])
    expect((await made.jurist('calibrate', '--threshold-true', '60%')).code).toBe(2)
  })

  test('labels with --next, and then shows and compares by labels', async () => {
    // The person labels what is shown: keys are only known when the trial is, so the file is made from the order.
    const first = await made.juristReading('p'.repeat(20), {}, 'label', 'sums', '--by', 'ana', '--next', '20')
    expect(first.stderr).toContain('fewer than 20 labels of a uniform sample: these trials are drawn uniformly')
    await made.juristReading('p'.repeat(5), {}, 'label', 'sums', '--by', 'ana', '--next', '5')
    await made.juristReading('p'.repeat(30), {}, 'label', 'better', '--by', 'ana', '--sample', '30')
    const [run = ''] = await made.results.runs('sums')
    const labels = (await made.results.labels('sums', run)) as readonly { itemId: string; use: string }[]
    expect(labels.map(({ use }) => use)).toEqual([...Array(20).fill('certify'), ...Array(5).fill('next')])
    expect(new Set(labels.map(({ itemId }) => itemId)).size).toBe(25)
    expect((await made.jurist('show', 'sums')).stdout).toMatch(/By labels {2}People would pass .* by 25 labels/)
    expect(JSON.parse((await made.jurist('show', 'sums', '--json')).stdout).estimate).toMatchObject({ labelled: 25 })
    const { stdout } = await made.jurist('compare', 'sums', 'better', '--ignore-conditions')
    expect(stdout).toMatch(/By labels \(\d+ items labelled in both\): [+-−]?\d/)
    const both = await made.jurist('label', 'sums', '--next', '3', '--sample', '3')
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--next chooses the trials')])
    const all = await made.juristReading('', {}, 'label', 'sums', '--next', '500')
    expect(all.stderr).toContain('Only 75 trials')
  })
})
