import { compare, comparedTogether } from '@jurist/experiment/compare'
import { findings, flipsText, testText } from '@jurist/experiment/internal/results'
import { comparisonReport, markdownReport } from '@jurist/experiment/report'
import { anItem, aResult } from '@jurist/experiment/testing'
import { describe, expect, test } from 'vitest'

/** Items with so many trials each: `1` passed, `0` did not; the scores of every trial of an item. */
function runOf(items: readonly string[], scores: (item: number) => Readonly<Record<string, number>> = () => ({})) {
  return aResult({
    items: items.flatMap((trials, index) =>
      [...trials].map((trial, at) =>
        anItem({ itemId: `item-${index}`, repetition: at + 1, passed: trial === '1', scores: scores(index) }),
      ),
    ),
  })
}

const times = (count: number, trials: string) => Array<string>(count).fill(trials)

describe('the conclusion of repetitions', () => {
  test('sees by how much items change, not only how many', () => {
    // 7 items pass in all of five repetitions instead of none, 4 lose one of five.
    const before = runOf([...times(7, '00000'), ...times(4, '11111')])
    const after = runOf([...times(7, '11111'), ...times(4, '01111')])
    const { passRate, conclusion } = compare(before, after)
    expect(passRate?.test).toEqual({
      method: 'sign-exact',
      worse: 4,
      better: 7,
      same: 0,
      pValue: expect.closeTo(0.549, 3),
    })
    expect(passRate?.permutation).toMatchObject({ method: 'sign-flip-exact', pValue: 1 / 64, tests: 1 })
    expect(conclusion).toBe('improved')
    expect(comparisonReport(compare(before, after))).toContain('p = 0.016, sign-flip test of item means, exact')
  })

  test('with one repetition is that of McNemar', () => {
    const { passRate } = compare(
      runOf([...times(9, '0'), '1', ...times(10, '1')]),
      runOf([...times(9, '1'), '0', ...times(10, '1')]),
    )
    expect(passRate?.permutation.pValue).toBeCloseTo(passRate?.test.pValue ?? 0, 12)
    expect(passRate === null || passRate === undefined ? '' : testText(passRate)).toBe('p = 0.021, McNemar, exact')
  })

  test('says how many items would find the difference of means that was seen', () => {
    // Differences of ±1/3 and 0: mean 1/30, spread √(0.9/9/…) by hand below.
    const before = runOf([...times(4, '000'), ...times(3, '100'), ...times(3, '111')])
    const after = runOf([...times(4, '100'), ...times(3, '000'), ...times(3, '111')])
    const { moreItems, passRate, conclusion } = compare(before, after)
    const spread = Math.sqrt((7 / 9 - 10 * (1 / 30) ** 2) / 9)
    const wanted = ((1.959963985 + 0.841621234) * (spread * 30)) ** 2 + 1.959963985 ** 2 / 2
    expect([conclusion, passRate?.items]).toEqual(['no-difference-detected', 10])
    expect(moreItems).toBe(Math.ceil(wanted) - 10)
  })

  test('items that cancel each other out call for no number of items', () => {
    const before = runOf([...times(6, '00'), ...times(3, '11'), ...times(3, '10')])
    const after = runOf([...times(6, '01'), ...times(3, '00'), ...times(3, '10')])
    const { moreItems, notes } = compare(before, after)
    expect(moreItems).toBeNull()
    expect(notes[0]).toBe('The items that got better and those that got worse cancel each other out.')
  })
})

describe('flips', () => {
  test('are as many as chance gives where repetitions of one run differ as often', () => {
    const { flips } = compare(runOf(times(10, '1100')), runOf(times(10, '1010')))
    // Two of four pass: two of its repetitions differ in 4 of 6 cases.
    expect(flips).toEqual({ pairs: 40, better: 10, worse: 10, byChance: expect.closeTo((40 * 4) / 6, 9) })
    expect(flipsText(flips)).toBe(
      'Flips: 20 of 40 pairs of trials, 10 worse and 10 better. Chance alone gives about 27: this is how much repetitions within a run differ.',
    )
  })

  test('are no chance where repetitions agree', () => {
    const { flips } = compare(runOf(times(10, '111')), runOf([...times(4, '000'), ...times(6, '111')]))
    expect(flips).toEqual({ pairs: 30, better: 0, worse: 12, byChance: 0 })
    expect(flipsText(flips)).toContain('Chance alone gives none')
  })

  test('with one repetition it is unknown, but chance moves them both ways', () => {
    const comparison = compare(runOf([...times(8, '1'), ...times(5, '0')]), runOf([...times(8, '0'), ...times(5, '1')]))
    expect(comparison.flips.byChance).toBeNull()
    const said = 'One repetition does not show how many chance alone gives; it sends 3 to 10 of 13 one way.'
    expect(comparisonReport(comparison)).toContain(`Flips: 13 of 13 pairs of trials, 8 worse and 5 better. ${said}`)
    expect(flipsText({ pairs: 9, better: 0, worse: 4, byChance: null })).toContain(
      'so few may all go one way by chance',
    )
    expect(flipsText({ pairs: 9, better: 0, worse: 0, byChance: null })).toBeNull()
    expect(flipsText({ pairs: 500_000, better: 100_000, worse: 100_000, byChance: null })).toContain(
      '99,562 to 100,438',
    )
  })
})

describe('scores', () => {
  const before = runOf(times(12, '1'), () => ({ build: 0.5, style: 0.25, speed: 0.123456 }))
  const after = runOf(times(12, '1'), (item) => ({
    build: item === 0 ? 0.5 : 0.5625,
    style: item % 2 === 0 ? 0.5 : 0,
    speed: 0.123456,
  }))

  test('have a p value each, and one among all of them', () => {
    const { scores } = compare(before, after)
    const tests = Object.entries(scores).map(([name, { permutation }]) => [name, permutation])
    expect(Object.fromEntries(tests)).toEqual({
      build: { method: 'sign-flip-exact', pValue: 2 / 2 ** 11, adjustedPValue: 6 / 2 ** 11, tests: 3 },
      style: { method: 'sign-flip-exact', pValue: 1, adjustedPValue: 1, tests: 3 },
      speed: { method: 'sign-flip-exact', pValue: 1, adjustedPValue: 1, tests: 3 },
    })
  })

  test('show their difference, interval and p with three digits, and what is beyond chance in a sentence', () => {
    const comparison = compare(before, after)
    const text = comparisonReport(comparison)
    expect(text).toMatch(/Name +Pairs +Baseline +Candidate +Change +95 % +p \(Holm\) +Better +Worse/)
    expect(text).toMatch(/build +12 +0\.500 +0\.557 +\+0\.0573 +\+0\.0\d+ to \+0\.0\d+ +0\.003 +11 +0/)
    expect(text).toContain('Scores that moved (1 did not)')
    expect(text).not.toContain('speed')
    expect(findings(comparison)).toEqual(['Scores beyond chance: build +0.0573 (p = 0.003). By Holm over 3.'])
    expect(text).toContain('Scores beyond chance: build +0.0573 (p = 0.003). By Holm over 3.')
    expect(markdownReport([before, after])).toContain('Scores beyond chance: build')
  })

  test('one of many that moved a little is chance', () => {
    const names = Array.from({ length: 20 }, (_, index) => `score-${index}`)
    const all = (moved: number) => Object.fromEntries(names.map((name, at) => [name, at === 0 ? moved : 0.5]))
    const comparison = compare(
      runOf(times(8, '1'), () => all(0.5)),
      runOf(times(8, '1'), () => all(0.6)),
    )
    expect(comparison.scores['score-0']?.permutation?.pValue).toBe(2 / 2 ** 8)
    expect(findings(comparison)).toEqual([])
  })
})

describe('comparisons that are read together', () => {
  const control = runOf(times(12, '1'))
  const worse = compare(control, runOf([...times(6, '0'), ...times(6, '1')]))
  const alike = compare(control, runOf(times(12, '1')))

  test('raise their p values, and say so', () => {
    expect(worse).toMatchObject({ conclusion: 'regressed', moreItems: null })
    const [first, ...others] = comparedTogether([worse, alike, alike])
    expect(first?.passRate?.permutation).toMatchObject({ pValue: 2 / 2 ** 6, adjustedPValue: 6 / 2 ** 6, tests: 3 })
    expect(first).toMatchObject({ conclusion: 'no-difference-detected', moreItems: expect.any(Number) })
    expect(first?.notes[0]).toMatch(/if it is real, would take about \d+ more items/)
    expect(others.map(({ conclusion }) => conclusion)).toEqual(['no-difference-detected', 'no-difference-detected'])
    if (first === undefined) throw new Error('a comparison is missing')
    expect(comparisonReport(first)).toContain('p = 0.031, 0.094 by Holm over 3, McNemar, exact')
    expect(comparedTogether([first])).toEqual([worse])
  })

  test('are those of a story of several runs', () => {
    const half = [...times(6, '0'), ...times(6, '1')]
    expect(markdownReport([control, runOf(half), runOf(half)])).toContain('0.063 by Holm over 2')
  })

  test('that were stored without permutation tests stay as they are', () => {
    const { alpha, flips, ...older } = JSON.parse(JSON.stringify(worse))
    expect([alpha, flips.worse]).toEqual([0.05, 6])
    delete older.passRate.permutation
    expect(comparedTogether([older, older])).toEqual([older, older])
    expect(comparisonReport(older)).toContain('p = 0.031, McNemar, exact')
  })
})
