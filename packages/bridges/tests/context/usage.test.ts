import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { costOf } from '../../src/context/cost.js'
import { readSafely } from '../../src/context/safe-reader.js'
import { added, consistentUsage, sumSteps, usageFrom } from '../../src/context/usage.js'

describe('usage', () => {
  test('nothing is made up: null and undefined are absent, a zero is a zero', () => {
    expect(consistentUsage({ inputTokens: null, outputTokens: undefined }, [])).toBeUndefined()
    expect(consistentUsage({ inputTokens: 0 }, [])).toEqual({ inputTokens: 0 })
  })

  test('what cannot be is dropped with a warning', () => {
    const warnings: string[] = []
    const given = { inputTokens: 5, cacheReadTokens: 9, outputTokens: 1.5, reasoningTokens: 2, totalTokens: -1 }
    expect(consistentUsage(given, warnings)).toEqual({ inputTokens: 5, reasoningTokens: 2 })
    expect(warnings.sort()).toEqual([
      'usage-inconsistent: cacheReadTokens',
      'usage-inconsistent: outputTokens',
      'usage-inconsistent: totalTokens',
    ])
  })

  test('cached parts beside the input are added, only where there is an input', () => {
    const look = readSafely({ input: 5, read: 3, written: null }, [])
    expect(added(look.get('input'), look.get('read'), look.get('written'))).toBe(8)
    expect(added(look.get('missing'), look.get('read'))).toBeUndefined()
    expect(usageFrom(look, { inputTokens: ['missing', 'read'] })).toEqual({ inputTokens: 3 })
  })

  test('a sum over steps has only what every step has', () => {
    const warnings: string[] = []
    const steps = [{ inputTokens: 1, outputTokens: 2 }, { inputTokens: 3 }, { inputTokens: 0 }]
    expect(sumSteps(steps, warnings)).toEqual({ inputTokens: 4 })
    expect(warnings).toEqual(['usage-incomplete: outputTokens'])
    expect(sumSteps([undefined, undefined], [])).toBeUndefined()
    expect(sumSteps([], [])).toBeUndefined()
  })

  test('law: a sum is never larger than what was reported, and never has more counts', () => {
    const count = fc.option(fc.nat(1_000), { nil: undefined })
    const usage = fc.record({ inputTokens: count, outputTokens: count }, { requiredKeys: [] })
    fc.assert(
      fc.property(fc.array(usage, { maxLength: 5 }), (given) => {
        const steps = given.map((one) => consistentUsage(one, []))
        const known = steps.flatMap((step) => step?.inputTokens ?? [])
        const sum = sumSteps(steps, [])?.inputTokens
        expect(sum).toBe(known.length === steps.length && known.length > 0 ? known.reduce((a, b) => a + b) : undefined)
      }),
    )
  })
})

describe('cost', () => {
  const prices = { m: { inputPerMillion: 1_000_000, outputPerMillion: 2_000_000 } }
  const usage = { inputTokens: 10, cacheReadTokens: 4, cacheWriteTokens: 1, outputTokens: 1 }

  test('first the figure of the framework, then the table', () => {
    expect(costOf({ reported: 0, model: 'm', usage }, prices, [])).toEqual({ costUsd: 0, costBasis: 'reported' })
    expect(costOf({ reported: 2, basis: 'list' }, prices, [])).toEqual({ costUsd: 2, costBasis: 'list' })
    expect(costOf({ model: 'm', usage }, prices, [])).toEqual({ costUsd: 12, costBasis: 'table' })
  })

  test('cached parts have prices of their own where the table has them', () => {
    const own = { m: { ...prices.m, cacheReadPerMillion: 500_000, cacheWritePerMillion: 3_000_000 } }
    expect(costOf({ model: 'm', usage }, own, []).costUsd).toBe(5 + 2 + 3 + 2)
  })

  test('what is unknown is absent, and a warning', () => {
    const warnings: string[] = []
    expect(costOf({ model: 'other', usage }, prices, warnings)).toEqual({})
    expect(costOf({ model: 'm', usage: { inputTokens: 1 } }, prices, warnings)).toEqual({})
    expect(costOf({ model: 'toString', usage }, prices, warnings)).toEqual({})
    expect(warnings).toEqual([
      'cost-unknown: no price for other',
      'cost-unknown: token counts are missing',
      'cost-unknown: no price for toString',
    ])
    expect(costOf({ model: 'm', usage }, undefined, warnings)).toEqual({})
    expect(warnings).toHaveLength(3)
  })
})
