import { type Judge, numerical, scored } from '@jurist/core'
import { calibrate, calibrationOf } from '@jurist/experiment/calibrate'
import { calibrationReport } from '@jurist/experiment/report'
import { expect, test } from 'vitest'
import { labelledItem, told } from './labelled.js'

/** Forty labelled items: of twenty that should pass two are failed, of twenty that should fail four are passed. */
const labelled = Array.from({ length: 40 }, (_, index) => {
  const isWrong = [0, 1, 20, 21, 22, 23].includes(index)
  const label = index < 20 ? 'pass' : 'fail'
  return labelledItem(`item-${index}`, label, { said: (label === 'pass') === isWrong ? 'fail' : 'pass' })
})
const others = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    labelledItem(`other-${index}`, 'pass', { said: index % 5 < 3 ? 'pass' : 'fail' }),
  )
const candidate = told('said')
const given = { name: 'strict', candidate, items: labelled, resamples: 200 }

test('the pass rate of the same trials is never corrected', async () => {
  const { result, report } = await calibrate(given)
  expect(report.correctedPassRate).toBeNull()
  expect(() => calibrationOf(result, { correct: result })).toThrow('has trials of this calibration')
  const again = await calibrate({ ...given, name: 'again' })
  expect(() => calibrationOf(result, { correct: again.result })).toThrow('has trials of this calibration')
})

test('the pass rate of another run stands for another one, with an interval', async () => {
  const { result } = await calibrate(given)
  const run = await calibrate({ ...given, name: 'new', items: others(50) })
  const calibration = calibrationOf(result, { correct: run.result })
  const { correctedPassRate: corrected } = calibration.report
  // Sensitivity 18 of 20, specificity 16 of 20, observed 0.6: (0.6 + 0.8 - 1)/(0.9 + 0.8 - 1).
  expect(corrected).toMatchObject({
    run: run.result.id,
    trials: 50,
    observed: 0.6,
    sensitivity: 0.9,
    specificity: 0.8,
    value: expect.closeTo(0.4 / 0.7, 12),
  })
  // By hand: z = 1.959964; p' = (30 + z²/2)/(50 + z²), Se' = 19/22, Sp' = 17/22.
  expect(corrected?.interval?.low).toBeCloseTo(0.30186, 4)
  expect(corrected?.interval?.high).toBeCloseTo(0.84222, 4)
  expect(calibrationReport(calibration, { width: 500 })).toContain(
    'the candidate passed 60.0 % of 50 trials: that stands for 57.1 %',
  )
})

test('a run that the judge did not judge is refused', async () => {
  const { result } = await calibrate(given)
  const run = await calibrate({ ...given, candidate: told('label'), items: others(10) })
  expect(() => calibrationOf(result, { correct: run.result })).toThrow('no pass and no fail by said')
})

test('numbers of a judge beside labels of pass and fail: area, Brier score, and a better threshold', async () => {
  const overlap: Judge = function overlap({ metadata }) {
    return scored(numerical(Number(metadata['number'])), { passingAt: 0.5 })
  }
  const items = Array.from({ length: 40 }, (_, index) =>
    labelledItem(`n${index}`, index < 24 ? 'fail' : 'pass', { number: index / 40 }),
  )
  const calibration = await calibrate({ ...given, candidate: overlap, items })
  const { discrimination } = calibration.report
  expect(discrimination).toMatchObject({ trials: 40, auroc: 1, thresholds: { best: { threshold: 0.6, kappa: 1 } } })
  expect(discrimination?.brier).toBeCloseTo(
    items.reduce((sum, _, index) => sum + (index / 40 - (index < 24 ? 0 : 1)) ** 2, 0) / 40,
    12,
  )
  expect(calibrationReport(calibration, { width: 300 })).toContain('Best by kappa: 0.600')
  expect((await calibrate(given)).report.discrimination).toBeNull()
})
