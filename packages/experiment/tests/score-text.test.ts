import { scoreMeans, scoreMeansText } from '@jurist/experiment/internal/results'
import { markdownReport } from '@jurist/experiment/report'
import { summarize } from '@jurist/experiment/result'
import { anItem, aResult } from '@jurist/experiment/testing'
import { expect, test } from 'vitest'

const items = [0.25, 0.5, 0.75].map((style, index) =>
  anItem({ itemId: `i${index}`, scores: { style, builds: index % 2 } }),
)

test('means of scores have their standard error and three decimals; passes and fails are counted already', () => {
  const { scores } = summarize({ items, planned: 3 })
  // Standard deviation 0.25, over √3.
  expect(scoreMeans(scores)).toEqual([{ name: 'style', mean: '0.500', basis: '± 0.144, n = 3' }])
  expect(scoreMeansText(scores)).toBe('style 0.500 (± 0.144, n = 3)')
  expect(scoreMeansText(summarize({ items: items.slice(0, 1), planned: 1 }).scores)).toBe('style 0.250 (n = 1)')
  expect(markdownReport([aResult({ items, planned: 3 })])).toContain('style 0.500 (± 0.144, n = 3)')
})

test('pass^k for further k', () => {
  const trials = Array.from({ length: 12 }, (_, index) => anItem({ repetition: index + 1, passed: index > 0 }))
  const of = (passAt?: readonly number[]) =>
    summarize({ items: trials, planned: 12, ...(passAt === undefined ? {} : { passAt }) }).passAtK
  expect(of().map(({ k }) => k)).toEqual([1, 2, 3, 4, 5, 8, 12])
  expect(of([7, 99]).map(({ k }) => k)).toEqual([1, 2, 3, 4, 5, 7, 8, 12])
  expect(of([7])[5]?.passHatK).toBeCloseTo(5 / 12, 12)
  expect(() => of([0])).toThrow(expect.objectContaining({ code: 'statistic-invalid' }))
})
