import { describe, expect, test } from 'vitest'
import { fixedSequence, type ThresholdCounts } from '../../src/result/statistics/fixed-sequence.js'
import { seededRandom } from '../../src/result/statistics/random.js'

/** A judge: how often it is how confident, and how often it is wrong then. */
interface Population {
  /** For each threshold, the strictest first: the share of items of this confidence, and their risk. */
  readonly steps: readonly { readonly share: number; readonly risk: number }[]
}

const thresholds = Array.from({ length: 26 }, (_, step) => (100 - 2 * step) / 100)
const evenly = (risk: (threshold: number) => number): Population => ({
  steps: thresholds.map((threshold) => ({ share: 1 / thresholds.length, risk: risk(threshold) })),
})

const populations: { readonly [name: string]: Population } = {
  'is wrong too often however sure it is': evenly(() => 0.18),
  'is least right where it is surest': evenly((threshold) => 0.1 + (threshold - 0.5) * 0.4),
  'is as right as it says': evenly((threshold) => 1 - threshold),
  'is just good enough down to a cliff': evenly((threshold) => (threshold >= 0.8 ? 0.0999 : 0.5)),
  'is just too bad everywhere': evenly(() => 0.1001),
}

const [alpha, delta, simulations] = [0.1, 0.1, 2_000]

/** The risk of everything that is decided at a threshold. */
function riskAt({ steps }: Population, threshold: number): number {
  const decided = steps.filter((_, step) => (thresholds[step] ?? 0) >= threshold)
  const share = decided.reduce((sum, step) => sum + step.share, 0)
  return decided.reduce((sum, step) => sum + step.share * step.risk, 0) / share
}

function sample({ steps }: Population, items: number, uniform: () => number): readonly ThresholdCounts[] {
  const drawn = thresholds.map(() => ({ decided: 0, errors: 0 }))
  for (let item = 0; item < items; item += 1) {
    const index = Math.floor(uniform() * steps.length)
    const step = drawn[index]
    if (step === undefined) continue
    step.decided += 1
    if (uniform() < (steps[index]?.risk ?? 0)) step.errors += 1
  }
  let [decided, errors] = [0, 0]
  return drawn.map((step, index) => {
    decided += step.decided
    errors += step.errors
    return { threshold: thresholds[index] ?? 0, decided, errors }
  })
}

/** How often the risk at the chosen threshold is above what is allowed. */
function violations(
  population: Population,
  items: number,
  choose: (counts: readonly ThresholdCounts[]) => number | null,
): number {
  const { uniform } = seededRandom(items)
  let violated = 0
  for (let simulation = 0; simulation < simulations; simulation += 1) {
    const threshold = choose(sample(population, items, uniform))
    if (threshold !== null && riskAt(population, threshold) > alpha) violated += 1
  }
  return violated / simulations
}

const ours = (counts: readonly ThresholdCounts[]) =>
  fixedSequence(counts, { alpha, delta }).certified?.threshold ?? null
/** The published code: the strictest threshold where none is certified. */
const published = (counts: readonly ThresholdCounts[]) => ours(counts) ?? counts[0]?.threshold ?? null

const allowed = delta + 3 * Math.sqrt((delta * (1 - delta)) / simulations)

describe.each(Object.keys(populations))('a judge that %s', (name) => {
  const population = populations[name] ?? { steps: [] }
  test.each([100, 300, 1_000])('with %d labels keeps the bound as often as promised', (items) => {
    expect(violations(population, items, ours)).toBeLessThanOrEqual(allowed)
  })
})

test.each(['is wrong too often however sure it is', 'is least right where it is surest'])(
  'with the strictest threshold for an answer, the bound of a judge that %s is broken nearly always',
  (name) => {
    expect(violations(populations[name] ?? { steps: [] }, 300, published)).toBeGreaterThan(0.9)
  },
)
