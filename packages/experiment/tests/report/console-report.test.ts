import { fail, jury } from '@jurist/core'
import { expect, test } from 'vitest'
import { consoleReport } from '../../src/report/index.js'
import { anItem, aResult } from '../../src/testing/index.js'
import { hostileResult } from './hostile.js'

test('shows items, both pass rates with their interval, costs and why', async () => {
  const verdict = await jury({ judges: { readme: () => fail('README.md is missing') } }).vote({})
  const items = [
    anItem({ itemId: 'a', scores: { readme: 1 }, costUsd: 0.5, usage: { inputTokens: 1_000, outputTokens: 200 } }),
    anItem({ itemId: 'b', judged: 'fail', passed: false, verdict, scores: { readme: 0 }, costUsd: 0.25 }),
    anItem({ itemId: 'c', judged: 'abstain', passed: null, judgeCostUsd: 0.004 }),
  ]
  const text = consoleReport(aResult({ items, planned: 4, variant: 'careful' }))
  expect(text).toContain('experiment @ careful\n')
  expect(text).toMatch(/ {2}a +pass +1\.00 +\$0\.50 +1\.0 s\n/)
  expect(text).toMatch(/ {2}b +fail +0\.00 +\$0\.25/)
  expect(text).toMatch(/ {2}c +undecided +– +– /)
  expect(text).toContain('50.0 % of decided trials (1 of 2; 95 %: 9.5 to 90.5 %, Wilson)')
  expect(text).toContain('25.0 % of planned trials (1 of 4; 1 undecided: abstain 1; 1 not run)')
  expect(text).toContain('$0.75, 1,200 tokens')
  expect(text).toContain('$0.004')
  expect(text).toContain('1 trial without a declared cost')
  expect(text).toContain('readme fail: README.md is missing')
  expect(text).toMatch(/undecided {2}c \[1\]\n +abstain/)
  expect(text).not.toContain('pass@k')
})

test('shows pass@k and flaky items of repeated trials', () => {
  const items = [1, 2].map((repetition) => anItem({ repetition, judged: 'fail', passed: repetition === 1 }))
  const text = consoleReport(aResult({ items }), { details: 'none' })
  expect(text).toContain('pass 1 of 2; fail')
  expect(text).toContain('pass@k    k=1 0.50  k=2 1.00 (1 item)')
  expect(text).toContain('Flaky     item-1')
})

test('tells of no trial, of those that did not pass, or of all', () => {
  const result = aResult({ items: [anItem({ itemId: 'a' }), anItem({ itemId: 'b', judged: 'fail', passed: false })] })
  const told = (details: 'none' | 'failures' | 'all') =>
    [...consoleReport(result, { details }).matchAll(/\w \[1\]/g)].map(String)
  expect(told('none')).toEqual([])
  expect(told('failures')).toEqual(['b [1]'])
  expect(told('all')).toEqual(['a [1]', 'b [1]'])
})

test('is as wide as it may be, and of nothing is short', () => {
  const items = [anItem({ itemId: 'a'.repeat(100), scores: { [`key${'y'.repeat(60)}`]: 1 } })]
  const table = consoleReport(aResult({ items }), { width: 60 }).split('\n\n')[1] ?? ''
  expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60)
  expect(table).toContain('…')
  expect(consoleReport(aResult({ items: [] }))).toContain('– of decided trials (0 of 0)')
})

test('says that a rejudged run called no agent', () => {
  const lineage = {
    rejudgedFrom: 'parent',
    root: 'root',
    systemReinvoked: false,
    originalStartedAt: '2026-01-01T00:00:00.000Z',
    jury: 'x',
    tiers: null,
  } as const
  expect(consoleReport(aResult({ lineage }))).toContain('judged again from parent; no agent was called')
})

test.each([true, false])('nothing in it controls a terminal (color %s) but our own colours', async (color) => {
  const text = consoleReport(await hostileResult(), { color, details: 'all' })
  expect(text.replace(/\u001b\[(1|2|22|31|32|33|39)m/g, '')).not.toMatch(
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/,
  )
  expect(text.includes('\u001b')).toBe(color)
})
