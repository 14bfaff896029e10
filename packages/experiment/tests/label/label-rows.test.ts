import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Label, readLabels } from '@jurist/experiment/label'
import { toCsv, toJsonl } from '@jurist/experiment/report'
import { anItem, aResult } from '@jurist/experiment/testing'
import fc from 'fast-check'
import Papa from 'papaparse'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LabelRow, labelRows } from '../../src/label/label-pass.js'
import { collected } from '../collected.js'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jurist-label-rows-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

async function* each(rows: readonly LabelRow[]) {
  yield* rows
}

async function readBack(rows: readonly LabelRow[], ending: 'csv' | 'jsonl'): Promise<readonly Label[]> {
  const path = join(directory, `labels.${ending}`)
  const text = await collected(ending === 'csv' ? toCsv(each(rows)) : toJsonl(each(rows)))
  writeFileSync(path, text.join(''))
  return await readLabels(path)
}

const notBlank = (text: string) => text.trim() !== ''
const hostile = fc.constantFrom(
  '=1+1',
  "'=x",
  "''+y",
  '@sum',
  '-1',
  '\t=2',
  'a;b',
  'two\r\nlines',
  '"q",',
  '[x]',
  '＝1',
)
const word = fc.oneof(hostile, fc.string({ minLength: 1 }).filter(notBlank))
const run = aResult({ items: [anItem({ itemId: '=1+1', task: '=cmd()' })] })

const label: fc.Arbitrary<Label> = fc.record({
  itemId: word,
  repetition: fc.integer({ min: 1, max: 9 }),
  annotator: fc.oneof(fc.constant(''), word),
  label: fc.constantFrom('pass' as const, 'fail' as const, 'skip' as const),
  note: fc.oneof(fc.constant(null), word),
  categories: fc.array(word, { maxLength: 3 }),
  seconds: fc.oneof(fc.constant(null), fc.double({ min: 0, max: 1e6, noNaN: true, noDefaultInfinity: true })),
  at: fc.constantFrom(null, '2026-11-23T05:00:00.000Z'),
  shown: fc.constantFrom(null, 'ab12'),
  use: fc.constantFrom('certify' as const, 'explore' as const),
  by: fc.constantFrom(null, 'people' as const, 'models' as const),
})

const keyOf = ({ annotator, itemId, repetition }: Label) => JSON.stringify([annotator, itemId, repetition])
const labels = fc.uniqueArray(label, { minLength: 1, maxLength: 6, selector: keyOf })
/** What a file need not say. */
const whole = (one: Label) => ({ by: null, ...one, run: run.id })

test.each(['csv', 'jsonl'] as const)('labels that are written as %s are the labels that are read', async (ending) => {
  await fc.assert(
    fc.asyncProperty(labels, async (given) => {
      const read = await readBack(labelRows(run, given), ending)
      expect(read.map(whole)).toEqual(given.map(whole))
    }),
  )
})

test('no cell of a label is a formula', async () => {
  await fc.assert(
    fc.asyncProperty(labels, async (given) => {
      const text = (await collected(toCsv(each(labelRows(run, given))))).join('')
      const cells = Papa.parse<readonly string[]>(text, { delimiter: ',' }).data.flat()
      expect(cells.filter((cell) => /^[\s\0]*[=@＝]/.test(cell))).toEqual([])
    }),
  )
})

test('a sheet has a row for each trial of a person, and is read without those that are empty', async () => {
  const items = ['a', 'b', 'c'].map((itemId) => anItem({ itemId, task: `Do ${itemId}.` }))
  const trials = ['c', 'a', 'b'].map((itemId) => ({ itemId, repetition: 1 }))
  const said = { note: null, categories: [], seconds: 2, at: null, shown: null, use: 'certify', repetition: 1 } as const
  const lines: readonly Label[] = [
    { ...said, itemId: 'a', annotator: 'ana', label: 'pass' },
    { ...said, itemId: 'b', annotator: 'ben', label: 'fail' },
    // Of a chosen sample: in a uniform sheet it is asked for again.
    { ...said, itemId: 'c', annotator: 'ana', label: 'fail', use: 'explore' },
  ]
  const pass = { annotator: 'ana', use: 'certify', trials, again: [], from: 3 } as const
  const rows = labelRows(aResult({ items }), lines, pass)
  expect(rows.map(({ itemId, annotator, label, task }) => [itemId, annotator, label, task])).toEqual([
    ['c', 'ana', null, 'Do c.'],
    ['a', 'ana', 'pass', 'Do a.'],
    ['b', 'ana', null, 'Do b.'],
  ])
  expect((await readBack(rows, 'csv')).map(({ itemId }) => itemId)).toEqual(['a'])
})
