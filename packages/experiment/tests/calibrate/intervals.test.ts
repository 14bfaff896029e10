import { named, pass } from '@jurist/core'
import { type CalibrateOptions, calibrate, cohenKappa } from '@jurist/experiment/calibrate'
import { wilsonInterval } from '@jurist/experiment/internal/results'
import { calibrationReport } from '@jurist/experiment/report'
import { expect, test } from 'vitest'
import { labelledItem, told } from './labelled.js'

/** Forty items, half of them to pass; every fifth is judged wrong. */
const items = Array.from({ length: 40 }, (_, index) => {
  const label = index % 2 === 0 ? 'pass' : 'fail'
  return labelledItem(`item-${index}`, label, { said: index % 5 === 0 ? 'fail' : label })
})
const options: CalibrateOptions = { name: 'strict', candidate: told('said'), items, resamples: 1_000 }

function width(interval: { readonly low: number; readonly high: number } | null): number {
  return interval === null ? Number.NaN : interval.high - interval.low
}

test('a judgment that is repeated ten times is no more certain than one: no interval shrinks', async () => {
  const [once, often] = [await calibrate(options), await calibrate({ ...options, repetitions: 10 })]
  expect(once.report.agreement.wilson).toEqual(wilsonInterval(36, 40))
  expect(often.report.agreement).toMatchObject({
    value: 0.9,
    wilson: { method: 'wilson-effective' },
    bootstrap: { method: 'bootstrap-widened' },
  })
  const pairs = [once, often].map(({ report: { agreement, kappa, intervals } }) => [
    ...[agreement.wilson, agreement.bootstrap, kappa.interval],
    ...[intervals.gwetAC1, intervals.mcc, intervals.balancedAccuracy],
  ])
  // Alpha counts the agreement of repetitions with each other too, so its disagreement is smaller, and the interval with it.
  const [aloneAlpha = Number.NaN, oftenAlpha = Number.NaN] = [once, often].map(
    ({ report: { krippendorffAlpha, intervals } }) =>
      width(intervals.krippendorffAlpha) / (1 - (krippendorffAlpha.value ?? Number.NaN)),
  )
  expect(oftenAlpha).toBeGreaterThan(0.75 * aloneAlpha)
  // As independent trials they would shrink to a third.
  for (const [index, interval] of (pairs[1] ?? []).entries())
    expect(width(interval)).toBeGreaterThan(0.75 * width(pairs[0]?.[index] ?? null))
  expect(often.report.kappa).toMatchObject({ standardError: null, interval: { method: 'bootstrap-bayesian' } })
})

test('items of one cluster depend on each other', async () => {
  const alike = items.map((item, index) => ({ ...item, metadata: { ...item.metadata, place: Math.floor(index / 5) } }))
  const cluster: CalibrateOptions['cluster'] = ({ metadata }) => `document ${metadata['place']}`
  const { report } = await calibrate({ ...options, items: alike, cluster })
  // Every document has one wrong, or none, of its five.
  expect(report.agreement.wilson?.method).toMatch(/^wilson-(effective|by-item)$/)
  expect(report.kappa.standardError).toBeNull()
})

test('a judge that always passes is not known to have a kappa of exactly 0', async () => {
  const { report } = await calibrate({ ...options, candidate: named(() => pass('fine'), 'kind') })
  expect(report.kappa).toMatchObject({ value: 0, standardError: null })
  expect(width(report.kappa.interval)).toBeGreaterThan(0.01)
  expect([report.mcc, report.intervals.mcc]).toEqual([null, null])
  expect(
    cohenKappa([
      [20, 0],
      [20, 0],
    ]),
  ).toEqual({ value: 0, standardError: null, interval: null })
})

test('a judge that is always right is not known to be always right', async () => {
  const { report } = await calibrate({ ...options, candidate: told('label') })
  expect(report.agreement).toMatchObject({ value: 1, wilson: { high: 1 }, bootstrap: null })
  for (const interval of [report.kappa.interval, ...Object.values(report.intervals)]) {
    expect(interval?.high).toBeCloseTo(1, 12)
    expect(interval?.low).toBeLessThan(0.99)
  }
})

test('the same seed gives the same intervals, and no resamples give none but formulas', async () => {
  const [one, same] = [await calibrate(options), await calibrate(options)]
  expect(one.report.intervals).toEqual(same.report.intervals)
  const { report } = await calibrate({ ...options, resamples: 0 })
  expect(report.kappa.interval?.method).toBe('asymptotic')
  expect(Object.values(report.intervals)).toEqual([null, null, null, null])
  const repeated = await calibrate({ ...options, resamples: 0, repetitions: 2 })
  expect(repeated.report.kappa.interval).toBeNull()
})

test('reports show the interval of every measure that has one', async () => {
  const text = calibrationReport(await calibrate({ ...options, repetitions: 2, resamples: 200 }), { width: 200 })
  for (const measure of [
    "Cohen's kappa",
    "Gwet's AC1",
    "Krippendorff's alpha",
    "Matthews' correlation",
    'Balanced accuracy',
  ])
    expect(text).toMatch(new RegExp(`${measure}.*\\d\\.\\d{3} to \\d\\.\\d{3}`))
  expect(text).toContain('Wilson, clustered')
})
