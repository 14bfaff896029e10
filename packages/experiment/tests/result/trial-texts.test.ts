import { outputOf, priceText, sourcesOf } from '@jurist/experiment/internal/results'
import { anItem } from '@jurist/experiment/testing'
import { describe, expect, test } from 'vitest'

describe('the sources of a trial', () => {
  const agent = (metadata: object) =>
    anItem({ detail: { kind: 'agent', invocation: { status: 'completed', metadata: metadata as never } } }).detail
  const retrieved = agent({ bridge: 'rag', 'rag.sources': [{ text: 'found' }, { id: 'no text' }, null, 'no object'] })

  test('are those of the item, or else those that the agent retrieved', () => {
    expect(sourcesOf({ metadata: { referenceData: ['given', 7] }, detail: retrieved })).toEqual(['given'])
    expect(sourcesOf({ metadata: {}, detail: retrieved })).toEqual(['found'])
    expect(sourcesOf({ metadata: { referenceData: 'no list' }, detail: agent({}) })).toEqual([])
    expect(sourcesOf({ metadata: {}, detail: null })).toEqual([])
    expect(outputOf({ detail: null })).toBeUndefined()
  })
})

describe('the price of a candidate', () => {
  const measure = (baselineMean: number, candidateMean: number, low: number, high: number) => ({
    ...{ items: 9, baselineMean, candidateMean, delta: candidateMean - baselineMean, standardError: 1 },
    interval: { low, high, level: 0.95, method: 'bootstrap' as const },
  })

  test('is a ratio where the interval excludes 0', () => {
    const [dearer, similar, free] = [measure(0.13, 0.42, 0.2, 0.4), measure(900, 950, -10, 110), measure(0, 0, 0, 0)]
    expect(priceText({ costUsd: dearer, durationMs: similar })).toBe(
      'Per trial of the agent: 3.2 × the cost, no difference in time was detected.',
    )
    expect(priceText({ costUsd: null, durationMs: measure(1_000, 400, -700, -500) })).toBe(
      'Per trial of the agent: 0.4 × the time.',
    )
    expect(priceText({ costUsd: free, durationMs: null })).toBeNull()
  })
})
