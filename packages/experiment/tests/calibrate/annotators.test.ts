import { type Judge, named, numerical, scored } from '@jurist/core'
import {
  altTest,
  type CalibrateOptions,
  calibrate,
  calibrationOf,
  numericalTolerance,
} from '@jurist/experiment/calibrate'
import { labelProblems } from '@jurist/experiment/internal'
import { calibrationReport } from '@jurist/experiment/report'
import { describe, expect, test } from 'vitest'
import { labelledItem, told } from './labelled.js'

const right = (index: number) => (index % 10 === 0 ? 'fail' : 'pass')
const wrong = (index: number) => (index % 10 === 0 ? 'pass' : 'fail')
/** Nine of ten pass; each of three annotators errs on other items; the candidate says what is in `said`. */
const crowd = Array.from({ length: 60 }, (_, index) =>
  labelledItem(`i${index}`, null, {
    said: 'pass',
    annotators: {
      ann: index % 6 === 1 ? wrong(index) : right(index),
      ben: index % 6 === 3 ? wrong(index) : right(index),
      cat: index % 6 === 5 ? wrong(index) : right(index),
    },
  }),
)
const options: CalibrateOptions = { name: 'crowd', candidate: told('said'), items: crowd, resamples: 100 }

describe('the alternative annotator test in a calibration', () => {
  test('needs no label, and says so neither as a problem nor as a note', async () => {
    const calibration = await calibrate(options)
    const { report } = calibration
    expect(report.counts).toMatchObject({ scored: 0, unscored: { 'label-missing': 60 } })
    expect(report.altTest).toMatchObject({ winningRate: 1, passes: true, excluded: [], epsilon: 0.2, q: 0.05 })
    expect(report.notes.join('\n')).not.toMatch(/scored/)
    expect(await labelProblems(options)).toEqual([])
  })

  test('is shown beside what the most frequent label gets', async () => {
    const calibration = await calibrate(options)
    const { altTest: test, notes } = calibration.report
    expect(test?.constant).toMatchObject({ label: 'pass', winningRate: 1, passes: true })
    expect(notes.join('\n')).toContain('Always saying pass passes the alternative annotator test as well')
    const text = calibrationReport(calibration)
    expect(text).toContain('The candidate may replace annotators at epsilon 0.2')
    expect(text).toContain('Always saying pass gets: winning rate 100.0 %')
    expect(text).toMatch(/false discovery rate 0\.05, annotators\s+with at least 30 items/)
  })

  test('has the options of the paper, kept with the run', async () => {
    const given = { epsilon: -0.2, q: 0.01, minimumItems: 50 }
    const { report, result } = await calibrate({ ...options, altTest: given })
    expect(report.altTest).toMatchObject({ ...given, winningRate: 0, passes: false })
    expect(calibrationOf(result).report.altTest).toEqual(report.altTest)
    const few = calibrationOf(result, { altTest: { minimumItems: 61 } }).report
    expect(few.altTest).toMatchObject({ epsilon: 0.2, minimumItems: 61, passes: null, excluded: ['ann', 'ben', 'cat'] })
    expect(few.notes.join('\n')).toContain('no annotator rated 61 items')
  })

  test.each([{ epsilon: Number.NaN }, { q: 1 }, { minimumItems: 0 }, { epsilom: 0.1 }, 0.1])(
    'refuses %j',
    async (altTest) => {
      const given = { ...options, altTest } as CalibrateOptions
      await expect(calibrate(given)).rejects.toThrow('"altTest" must be { epsilon, q, minimumItems }')
    },
  )
})

describe('numbers', () => {
  /** Ratings on 1 to 6, in tenths: many are equally far from the others. */
  const ratings = Array.from({ length: 120 }, (_, index) => {
    const rating = (step: number) => 1 + ((index * step) % 51) / 10
    return { judge: rating(7), ann: rating(11), ben: rating(13), cat: rating(17) }
  })
  const items = ratings.map(({ judge, ...annotators }, index) =>
    labelledItem(`i${index}`, null, { number: (judge - 1) / 5, annotators }),
  )
  const numbers: Judge = ({ metadata }) => scored(numerical(Number(metadata['number'])), { passingAt: 0.5 })

  test('are compared as rated: calibrate and altTest agree', async () => {
    const scorer = numericalTolerance(0.1, { labelRange: { min: 1, max: 6 } })
    const { report } = await calibrate({ name: 'numbers', candidate: named(numbers, 'numbers'), items, scorer })
    const by = (name: 'judge' | 'ann' | 'ben' | 'cat') =>
      Object.fromEntries(ratings.map((row, index) => [`i${index}`, row[name]]))
    const annotators = { ann: by('ann'), ben: by('ben'), cat: by('cat') }
    expect(report.altTest).toMatchObject(altTest({ annotators, judge: by('judge'), scoring: 'rmse' }))
    expect(Number(report.altTest?.constant?.label)).toBeGreaterThan(1)
  })

  test('that are equally far lose no tie by their last digit', () => {
    // 0.3 - 0.2 is 0.09999999999999998, and 0.2 - 0.1 is 0.1.
    const items = Array.from({ length: 30 }, (_, index) => `i${index}`)
    const all = (value: number) => Object.fromEntries(items.map((item) => [item, value]))
    const { annotators } = altTest({
      annotators: { ann: all(0.1), ben: all(0.2) },
      judge: all(0.3),
      scoring: 'rmse',
    })
    expect(annotators['ann']).toMatchObject({ advantage: 1, humanAdvantage: 1 })
  })
})
