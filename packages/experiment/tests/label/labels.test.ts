import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  appendLabel,
  currentLabels,
  type Label,
  labelAgreement,
  readLabels,
  stratifiedSample,
  uniformSample,
} from '@jurist/experiment/label'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jurist-labels-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

const label = (itemId: string, given: Partial<Label> = {}): Label => ({
  itemId,
  repetition: 1,
  annotator: 'ana',
  label: 'pass',
  note: null,
  categories: [],
  seconds: null,
  at: null,
  shown: null,
  use: 'certify',
  ...given,
})

describe('a file of labels', () => {
  test('reads back what was appended, and is empty before', async () => {
    const path = join(directory, 'deep', 'labels.jsonl')
    expect(await readLabels(path)).toEqual([])
    const labels = [label('a', { note: 'two\nlines, "quoted"', categories: ['tone'] }), label('b', { label: null })]
    for (const one of labels) await appendLabel(path, one)
    expect(await readLabels(path)).toEqual(labels)
  })

  test('survives a line that a crash cut off', async () => {
    const path = join(directory, 'cut.jsonl')
    await appendLabel(path, label('a'))
    appendFileSync(path, '{"itemId":"b","la')
    expect(await readLabels(path)).toEqual([label('a')])
    writeFileSync(path, readFileSync(path, 'utf8').replace(/\{"itemId":"b".*/, ''))
    await appendLabel(path, label('c'))
    expect((await readLabels(path)).map(({ itemId }) => itemId)).toEqual(['a', 'c'])
  })

  test('may be a sheet', async () => {
    const path = join(directory, 'labels.csv')
    writeFileSync(path, '\uFEFFitemId,label,annotator,note,repetition,extra\na,PASS,ben,"so, so",,x\nb, fail ,,,2,\n')
    expect(await readLabels(path)).toEqual([
      label('a', { annotator: 'ben', note: 'so, so' }),
      label('b', { annotator: '', label: 'fail', repetition: 2 }),
    ])
  })

  test('is refused with every line that is wrong', async () => {
    const path = join(directory, 'wrong.jsonl')
    writeFileSync(path, '{"itemId":"a","label":"good"}\nnonsense\n{"label":"pass"}\n{"itemId":"b","label":"fail"}\n')
    await expect(readLabels(path)).rejects.toThrow(
      /line 1: label must be pass, fail, skip or null\n {2}line 2: is not JSON\n {2}line 3: itemId/,
    )
  })
})

test('the last label of each annotator for each trial holds, unless it was taken back', () => {
  const lines = [
    label('a'),
    label('a', { annotator: 'ben', label: 'fail' }),
    label('a', { label: 'fail' }),
    label('b'),
    label('b', { label: null }),
    label('a', { repetition: 2, label: 'skip' }),
  ]
  expect(currentLabels(lines)).toEqual([lines[1], lines[2], lines[5]])
})

describe('agreement', () => {
  test('is over trials that both decided, pair by pair', () => {
    const says = (annotator: string, ...words: readonly Label['label'][]) =>
      words.map((word, index) => label(`i${index}`, { annotator, label: word }))
    const { pairs, disagreements } = labelAgreement([
      ...says('ana', 'pass', 'fail', 'pass', 'fail', 'skip'),
      ...says('ben', 'pass', 'fail', 'fail', 'fail', 'pass'),
      ...says('carl', 'pass'),
    ])
    expect(pairs).toEqual([
      { annotators: ['ana', 'ben'], trials: 4, agreeing: 3, kappa: 0.5 },
      { annotators: ['ana', 'carl'], trials: 1, agreeing: 1, kappa: null },
      { annotators: ['ben', 'carl'], trials: 1, agreeing: 1, kappa: null },
    ])
    expect(disagreements).toEqual([{ itemId: 'i2', repetition: 1 }])
  })
})

describe('samples', () => {
  const trials = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ itemId: `i${index}`, repetition: 1 }))

  test('are a choice without repetition that the seed decides, and a longer one begins as a shorter one', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(60), fc.integer(), (count, sample, seed) => {
        const all = uniformSample(trials(count), { seed })
        expect(new Set(all.map(({ itemId }) => itemId)).size).toBe(count)
        expect(uniformSample(trials(count), { seed, sample })).toEqual(all.slice(0, sample))
      }),
    )
  })

  test('are uniform: each trial comes first as often as another', () => {
    const first = new Map<string, number>()
    for (let seed = 0; seed < 4_000; seed += 1) {
      const [trial] = uniformSample(trials(4), { sample: 1, seed })
      first.set(trial?.itemId ?? '', (first.get(trial?.itemId ?? '') ?? 0) + 1)
    }
    for (const count of first.values()) expect(Math.abs(count - 1_000)).toBeLessThan(110)
  })

  test('by confidence take as many of each quarter', () => {
    const sample = stratifiedSample(trials(100), ({ itemId }) => Number(itemId.slice(1)) ** 3 / 1e6, { sample: 20 })
    const quarters = sample.map(({ itemId }) => Math.floor(Number(itemId.slice(1)) / 25))
    expect([0, 1, 2, 3].map((quarter) => quarters.filter((one) => one === quarter).length)).toEqual([5, 5, 5, 5])
  })
})
