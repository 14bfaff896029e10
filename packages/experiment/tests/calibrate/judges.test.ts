import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { calibrateJudges, exactCategoryMatch, judgesCalibrationOf } from '@jurist/experiment/calibrate'
import type { DatasetItem } from '@jurist/experiment/dataset'
import { memoryStore } from '@jurist/experiment/store'
import { describe, expect, onTestFinished, test } from 'vitest'
import { labelledItem, told } from './labelled.js'

const right = (index: number) => (index % 2 === 0 ? 'pass' : 'fail')
const wrong = (index: number) => (index % 2 === 0 ? 'fail' : 'pass')
/** Sixty items: `sharp` errs on 6, `blunt` on 30, `other` on 8, `poor` on the same 30 as `blunt` and one more. */
const items: readonly DatasetItem[] = Array.from({ length: 60 }, (_, index) => ({
  ...labelledItem(`i${index}`, right(index)),
  metadata: {
    label: right(index),
    said: {
      blunt: index < 30 ? wrong(index) : right(index),
      sharp: { said: index < 6 ? wrong(index) : right(index), costUsd: 0.01 },
      other: index >= 52 ? wrong(index) : right(index),
      poor: index < 31 ? wrong(index) : right(index),
    },
    saidSwapped: {
      blunt: index < 30 ? wrong(index) : right(index),
      sharp: index < 21 ? wrong(index) : right(index),
    },
  },
}))
const options: Parameters<typeof calibrateJudges>[0] = { name: 'pairs', items, resamples: 100 }

describe('several judges on the same items', () => {
  test('in one table, from the answers that items keep', async () => {
    const store = memoryStore()
    const { table, comparisons, calibrations, notes } = await calibrateJudges({ ...options, store })
    expect(table.map(({ judge, matches, scored }) => [judge, matches, scored])).toEqual([
      ['sharp', 54, 60],
      ['other', 52, 60],
      ['blunt', 30, 60],
      ['poor', 29, 60],
    ])
    expect(table[0]).toMatchObject({
      agreement: 0.9,
      kappa: expect.closeTo(0.8, 12),
      // Swapped, it errs on 21 items: it changes its mind on 15.
      flipRate: 0.25,
      flipPairs: 60,
      costUsd: expect.closeTo(0.6, 9),
      pricedTrials: 60,
    })
    expect(table[2]).toMatchObject({ flipRate: 0, costUsd: null, pricedTrials: 0 })
    expect(Object.keys(calibrations)).toEqual(['blunt', 'sharp', 'other', 'poor'])
    expect((await store.mostRecent('pairs.sharp', { kind: 'judge' }))?.metadata).toMatchObject({ candidate: 'sharp' })
    expect(comparisons).toHaveLength(6)
    expect(notes[0]).toBe(
      'sharp agrees most often, 90.0 %; not distinguishable from it: other (exact McNemar after Holm). The cheapest of these may suffice.',
    )
  })

  test('every two by McNemar, with Holm over all pairs', async () => {
    const { comparisons } = await calibrateJudges(options)
    const of = (one: string, other: string) =>
      comparisons.find(({ judges }) => judges.includes(one) && judges.includes(other))
    // blunt errs on 24 more than sharp, and never where sharp alone errs: p = 2/2^24, the smallest but one of six.
    expect(of('blunt', 'sharp')).toMatchObject({
      pairs: 60,
      onlyOne: 0,
      onlyOther: 24,
      difference: -0.4,
      isDifferent: true,
    })
    expect(of('blunt', 'sharp')?.pValue).toBeCloseTo(2 * 0.5 ** 24, 15)
    expect(of('blunt', 'sharp')?.holm).toBeCloseTo(5 * 2 * 0.5 ** 24, 14)
    // sharp alone errs on 6, other alone on 8: p = 0.791; blunt and poor differ on one item: p = 1.
    expect(of('sharp', 'other')).toMatchObject({ onlyOne: 8, onlyOther: 6, holm: 1, isDifferent: false })
    expect(of('sharp', 'other')?.pValue).toBeCloseTo(0.790527, 6)
    expect(of('blunt', 'poor')).toMatchObject({ onlyOne: 1, onlyOther: 0, pValue: 1, holm: 1 })
    expect(comparisons.map(({ pValue }) => pValue)).toEqual(
      comparisons.map(({ pValue }) => pValue).sort((a, b) => a - b),
    )
  })

  test('repetitions and clusters count once', async () => {
    const repeated = await calibrateJudges({ ...options, repetitions: 3 })
    const once = await calibrateJudges(options)
    expect(repeated.comparisons).toEqual(once.comparisons)
    const clustered = await calibrateJudges({ ...options, cluster: ({ id }) => String(Number(id.slice(1)) % 6) })
    expect(clustered.comparisons.every(({ pairs }) => pairs === 6)).toBe(true)
  })

  test('some of them, living ones, or from stored runs', async () => {
    const some = await calibrateJudges({ ...options, judges: ['other', 'blunt'] })
    expect(some.table.map(({ judge }) => judge)).toEqual(['other', 'blunt'])
    const runs = Object.values(some.calibrations).map(({ result }) => result)
    expect(judgesCalibrationOf('pairs', runs)).toEqual(some)
    const living = await calibrateJudges({ ...options, judges: { label: told('label'), never: () => false } })
    expect(living.table.map(({ judge, agreement, flipRate }) => [judge, agreement, flipRate])).toEqual([
      ['label', 1, null],
      ['never', 0.5, null],
    ])
    expect(living.notes.join('\n')).toContain('never: The candidate always says fail and never says pass')
    expect(() => judgesCalibrationOf('pairs', [])).toThrow('at least one run')
  })

  test('words of categories follow the scorer', async () => {
    const coloured = ['red', 'blue', 'red'].map((label, index) => ({
      ...labelledItem(`c${index}`, label),
      metadata: { label, said: { eye: 'Red', nose: label } },
    }))
    const { table } = await calibrateJudges({ name: 'colours', items: coloured, scorer: exactCategoryMatch() })
    expect(table.map(({ judge, matches }) => [judge, matches])).toEqual([
      ['nose', 3],
      ['eye', 2],
    ])
  })

  test('from a table of rows', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'jurist-test-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    const path = join(directory, 'pairs.csv')
    writeFileSync(path, 'id,task,label,said.gpt4,said.palm2\na,x,pass,1,2\nb,x,fail,2,\nc,x,pass,2,1\n')
    const { table, notes } = await calibrateJudges({
      name: 'pairs',
      items: path,
      recorded: { pass: ['1'], fail: ['2'] },
    })
    expect(table.map(({ judge, matches, scored }) => [judge, matches, scored])).toEqual([
      ['gpt4', 2, 3],
      ['palm2', 1, 2],
    ])
    expect(notes.join('\n')).toContain('The judges were scored on 2 to 3 trials')
  })

  test('are refused where there are none', async () => {
    const none = { ...options, items: [labelledItem('a', 'pass')] }
    await expect(calibrateJudges(none)).rejects.toThrow(
      'there are no judges. Give "judges", or items with metadata.said',
    )
    await expect(calibrateJudges({ ...options, judges: ['gpt5'] })).rejects.toThrow(
      'no item keeps an answer of gpt5. Answers are kept of blunt, sharp, other, poor.',
    )
    await expect(calibrateJudges({ ...options, candidate: told('x') } as never)).rejects.toThrow('candidate')
  })
})
