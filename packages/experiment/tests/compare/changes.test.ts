import { cascade, fail, type Judgment, jury, pass } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { compare } from '@jurist/experiment/compare'
import { changeCounts, changeKinds, changeOf, changeWord } from '@jurist/experiment/internal/results'
import { comparisonReport } from '@jurist/experiment/report'
import type { ItemResult } from '@jurist/experiment/result'
import { anItem, aResult } from '@jurist/experiment/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const runOf = (items: readonly Partial<ItemResult>[]) => aResult({ items: items.map((item) => anItem(item)) })

const trials = fc.uniqueArray(
  fc.record({
    itemId: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    repetition: fc.integer({ min: 1, max: 3 }),
    passed: fc.constantFrom(true, false, null),
    scores: fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom(0, 0.25, 1), { noNullPrototype: true }),
  }),
  { selector: ({ itemId, repetition }) => `${itemId} ${repetition}`, maxLength: 12 },
)

describe('one count of changes', () => {
  test('agrees with the exact test, whatever scores do, and is in every report', () => {
    fc.assert(
      fc.property(trials, trials, (before, after) => {
        const comparison = compare(runOf(before), runOf(after), { resamples: 10 })
        const { changes, passRate, items } = comparison
        const { better = 0, worse = 0, same = 0 } = passRate?.test ?? {}
        expect([changes.improved, changes.regressed]).toEqual([better, worse])
        expect(changes['scores-moved'] + changes.unchanged).toBe(same)
        expect(changes).toEqual(changeCounts(items))
        for (const item of items) expect(item.change).toBe(changeOf(item))
        for (const format of ['console', 'markdown'] as const) {
          const text = comparisonReport(comparison, { format })
          for (const kind of changeKinds)
            if (changes[kind] > 0) expect(text).toContain(`${changes[kind]} ${changeWord(kind)}`)
          expect(text.includes('Regressed (')).toBe(worse > 0)
          if (worse > 0) expect(text).toContain(`Regressed (${worse})`)
          if (better > 0) expect(text).toContain(`Improved (${better})`)
        }
      }),
    )
  })

  test('an item that passes more often and loses a score is improved; one whose scores alone fell has moved', () => {
    const trial = (itemId: string, passed: boolean, clarity: number) => ({ itemId, passed, scores: { clarity } })
    const comparison = compare(
      runOf([trial('up', false, 0.9), trial('moved', true, 0.9)]),
      runOf([trial('up', true, 0.5), trial('moved', true, 0.5)]),
    )
    expect(comparison.items.map(({ change, status }) => [change, status])).toEqual([
      ['improved', 'regressed'],
      ['scores-moved', 'regressed'],
    ])
    const text = comparisonReport(comparison)
    expect(text).toContain('Items: 1 improved, 1 scores moved.')
    expect(text).not.toContain('Regressed (')
  })

  test('a comparison that was stored without changes is reported alike', () => {
    const comparison = compare(runOf([{ passed: true }]), runOf([{ passed: false }]))
    const { changes, ...older } = JSON.parse(JSON.stringify(comparison))
    expect(changes.regressed).toBe(1)
    for (const item of older.items) delete item.change
    expect(comparisonReport(older)).toBe(comparisonReport(comparison))
  })
})

describe('a criterion that one side does not have', () => {
  const check = (name: string, passed: boolean) => ({ name, passed, message: '' })
  const tested = async (judgment: Judgment): Promise<Partial<ItemResult>> => ({
    verdict: await jury({ judges: { tests: () => judgment } }).vote(aContext()),
    passed: judgment.status === 'pass',
    judged: judgment.status as 'pass' | 'fail',
  })
  const named = (passed: boolean) => {
    const checks = [check('visible', passed)]
    return tested(passed ? pass('ok', { checks }) : fail('1 of 1 failed', { checks }))
  }
  const unloaded = () => tested(fail('does not load', { checks: [check('test/visible.test.js', false)] }))

  test('counts as not passed where its judge failed the trial', async () => {
    const before = await Promise.all([named(false), named(true), named(true)])
    const after = await Promise.all([named(true), unloaded(), named(true)])
    const withIds = (list: readonly Partial<ItemResult>[]) =>
      runOf(list.map((one, at) => ({ ...one, itemId: `i${at}` })))
    const { checks, passRate } = compare(withIds(before), withIds(after))
    expect(passRate).toMatchObject({ baselineMean: 2 / 3, candidateMean: 2 / 3 })
    expect(checks['tests > visible']).toMatchObject({ items: 3, delta: 0, improvements: 1, regressions: 1 })
    const text = comparisonReport(compare(withIds(before), withIds(after)))
    expect(text).toMatch(/tests > visible +3 +0\.667 +0\.667 +0\.00 +-1\.00 to \+1\.00 +1\.000 +1 +1/)
  })

  test('is left out where its judge passed without it, and a row without pairs is not shown', async () => {
    const { checks } = compare(runOf([await named(true)]), runOf([await tested(pass('ok'))]))
    expect(checks['tests > visible']).toMatchObject({ items: 0, improvements: 0, regressions: 0 })
    expect(comparisonReport(compare(runOf([await named(true)]), runOf([await tested(pass('ok'))])))).not.toContain(
      'tests > visible',
    )
  })

  test('is left out where its tier was not reached, and the items of each side are shown', async () => {
    const trial = async (itemId: string, gate: boolean, deep: boolean): Promise<Partial<ItemResult>> => {
      const tiers = cascade([
        { name: 'gate', jury: jury({ judges: { build: () => gate } }), policy: 'reject-on-any-fail' },
        {
          name: 'deep',
          jury: jury({ judges: { rubric: () => (deep ? pass('', { checks: [check('clear', true)] }) : fail('')) } }),
          policy: 'final',
        },
      ])
      const verdict = await tiers.vote(aContext())
      const passed = gate && deep
      const scores = { 'gate/build': Number(gate), ...(gate ? { 'deep/rubric': Number(deep) } : {}) }
      return { itemId, verdict, passed, judged: passed ? 'pass' : 'fail', scores }
    }
    const before = runOf([await trial('a', true, true), await trial('b', true, true)])
    const after = runOf([await trial('a', true, true), await trial('b', false, true)])
    const comparison = compare(before, after)
    expect(comparison.checks['deep/rubric > clear']).toMatchObject({ items: 1, delta: 0, improvements: 0 })
    expect(comparisonReport(comparison)).toMatch(/Name +Pairs \(of each\)/)
    expect(comparisonReport(comparison)).toMatch(
      /deep\/rubric > clear +1 \(2, 1\) +1\.00 +1\.00 +0\.00 +– +1\.000 +0 +0/,
    )
  })
})
