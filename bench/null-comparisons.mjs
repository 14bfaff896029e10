import { compare, comparedTogether } from '@jurist/experiment/compare'
import { anItem, aResult } from '@jurist/experiment/testing'
import { moduleFromSource } from './from-source.mjs'
import { row } from './measure.mjs'
import { randomFrom } from './random.mjs'

const { gateOf } = await moduleFromSource('packages/jurist/src/command-kit/regression-gate.ts')

const within = (value) => Math.max(0, Math.min(1, value))

/** A score of a trial of an item of a difficulty. */
const scoreKinds = {
  normal: ({ normal }, rate) => within(0.3 + 0.4 * rate + 0.15 * normal()),
  skewed: ({ uniform }, rate) => within(1 - (0.1 + 0.4 * rate) * -Math.log(1 - uniform())),
  'five points': ({ normal }, rate) => Math.round(4 * within(rate + 0.25 * normal())) / 4,
  rare: ({ uniform }) => (uniform() < 0.05 ? 0.5 + 0.5 * uniform() : 0),
}

/** As many items, and repetitions of each. */
const sizes = [
  { items: 40, repetitions: 3 },
  { items: 40, repetitions: 1 },
  { items: 10, repetitions: 3 },
  { items: 10, repetitions: 1 },
  { items: 15, repetitions: 3 },
  { items: 100, repetitions: 3 },
  { items: 200, repetitions: 1 },
]

/** The intervals are of no interest here, and nothing else is resampled. */
const options = { resamples: 1 }

/** A run of an agent that passes each item with its own probability, raised by `gain`; some trials are undecided. */
function runOf(random, rates, { repetitions, kind, undecided = 0, gain = 0 }) {
  const items = rates.flatMap((rate, item) =>
    Array.from({ length: repetitions }, (_, at) => {
      const passed = random.uniform() < undecided ? null : random.uniform() < within(rate + gain)
      const scores = { score: scoreKinds[kind](random, rate), other: random.uniform() }
      return anItem({ itemId: `i${item}`, repetition: at + 1, passed, scores })
    }),
  )
  return aResult({ items })
}

/**
 * An agent beside itself, again and again: how often a comparison says that there is a difference, in the conclusion and in a
 * score, and how often each gate turns red; how many flips there were, and how many it said that chance gives.
 */
export function nullComparisons(cell, simulations, seed = 14) {
  const random = randomFrom(seed)
  const found = { conclusion: 0, score: 0, significant: 0, regression: 0, flips: 0, byChance: 0 }
  for (let simulation = 0; simulation < simulations; simulation += 1) {
    const rates = Array.from({ length: cell.items }, random.uniform)
    const comparison = compare(runOf(random, rates, cell), runOf(random, rates, cell), options)
    found.conclusion += hasDifference(comparison)
    found.score += Object.values(comparison.scores).some(({ permutation }) => permutation.adjustedPValue <= 0.05)
    found.significant += gateOf(comparison, 'significant').length > 0
    found.regression += gateOf(comparison, 'regression').length > 0
    found.flips += comparison.flips.better + comparison.flips.worse
    found.byChance += comparison.flips.byChance ?? 0
  }
  return Object.fromEntries(Object.entries(found).map(([name, count]) => [name, count / simulations]))
}

function hasDifference({ conclusion }) {
  return conclusion === 'improved' || conclusion === 'regressed'
}

/** How often a session of several variants, all of them the agent of the baseline, turns the default gate red. */
export function nullSessions(cell, variants, simulations, seed = 14) {
  const random = randomFrom(seed)
  let [together, apart] = [0, 0]
  for (let simulation = 0; simulation < simulations; simulation += 1) {
    const rates = Array.from({ length: cell.items }, random.uniform)
    const baseline = runOf(random, rates, cell)
    const comparisons = Array.from({ length: variants }, () => compare(baseline, runOf(random, rates, cell), options))
    const isRed = (comparison) => gateOf(comparison, 'significant').length > 0
    together += comparedTogether(comparisons).some(isRed)
    apart += comparisons.some(isRed)
  }
  return { together: together / simulations, apart: apart / simulations }
}

/** How often an agent that is better by `gain` is found, by the conclusion and by the sign test of items. */
export function power(cell, simulations, seed = 14) {
  const random = randomFrom(seed)
  let [conclusion, sign] = [0, 0]
  for (let simulation = 0; simulation < simulations; simulation += 1) {
    const rates = Array.from({ length: cell.items }, () => random.uniform() * (1 - cell.gain))
    const { gain, ...without } = cell
    const comparison = compare(runOf(random, rates, without), runOf(random, rates, { ...without, gain }), options)
    conclusion += comparison.conclusion === 'improved'
    sign += comparison.passRate.test.pValue <= 0.05 && comparison.passRate.delta > 0
  }
  return { conclusion: conclusion / simulations, sign: sign / simulations }
}

/** 5 %, and as many standard errors of the simulation: 2 for one figure, 3 for the worst of several. */
const mostOf = (simulations, errors) => 0.05 + errors * Math.sqrt((0.05 * 0.95) / simulations)

const percent = (rate) => `${(100 * rate).toFixed(1)} %`

/** How often does a comparison find something where there is nothing, and how often where there is something? */
export async function nullComparison() {
  const simulations = 500
  const rows = sizes.map((size) => {
    const cells = Object.keys(scoreKinds).flatMap((kind) =>
      [0, 0.05].map((undecided) => nullComparisons({ ...size, kind, undecided }, simulations)),
    )
    const names = ['conclusion', 'significant', 'score']
    const alarms = names.map((name) => {
      const rates = cells.map((cell) => cell[name])
      return { name, worst: Math.max(...rates), all: rates.reduce((sum, rate) => sum + rate, 0) / rates.length }
    })
    const figure = alarms.map(({ name, worst, all }) => `${name} ${percent(all)} (worst ${percent(worst)})`).join(', ')
    const anyWorse = Math.max(...cells.map(({ regression }) => regression))
    const flips =
      size.repetitions === 1 ? '' : `; flips ${cells[0].flips.toFixed(1)}, said ${cells[0].byChance.toFixed(1)}`
    const reached = alarms.every(
      ({ worst, all }) => all <= mostOf(simulations * cells.length, 2) && worst <= mostOf(simulations, 3),
    )
    const question = `an agent beside itself, ${size.items} × ${size.repetitions}: false alarms over 4 kinds of scores`
    return row(question, `${figure}; any item worse ${percent(anyWorse)}${flips}`, 'at most 5 %', reached)
  })
  const session = nullSessions({ items: 40, repetitions: 3, kind: 'normal' }, 6, simulations)
  const gains = [3, 10].map((repetitions) => ({ items: 40, repetitions, kind: 'normal', gain: 0.1 }))
  return [
    ...rows,
    row(
      'six variants that are the baseline: the default gate turns red',
      `${percent(session.together)}, without Holm ${percent(session.apart)}`,
      'at most 5 %',
      session.together <= mostOf(simulations, 2),
    ),
    ...gains.map((cell) => {
      const { conclusion, sign } = power(cell, simulations)
      const question = `10 points better are found, ${cell.items} × ${cell.repetitions}`
      return row(
        question,
        `${percent(conclusion)}, by the sign test ${percent(sign)}`,
        'more than by signs',
        conclusion > sign,
      )
    }),
  ]
}
