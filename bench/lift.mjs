import { anItem, aResult } from '@jurist/experiment/testing'
import { moduleFromSource } from './from-source.mjs'
import { row } from './measure.mjs'
import { randomFrom } from './random.mjs'

const { liftOf, withinItemsTest } = await moduleFromSource('packages/experiment/src/lift/lift.ts')

/** Ten skills: by how much each changes the pass rate of every eval, and how unlike its evals are. */
const skills = [
  ...[0.3, -0.3].flatMap((gain) => [0, 0.2, 0.4].map((spread) => ({ gain, spread }))),
  ...[0, 0.2, 0.4, 0.8].map((spread) => ({ gain: 0, spread })),
]

const within = (rate) => Math.max(0, Math.min(1, rate))

function arm(random, variant, rates, repetitions) {
  const items = rates.flatMap((rate, item) =>
    Array.from({ length: repetitions }, (_, at) =>
      anItem({ itemId: `i${item}`, itemHash: `i${item}`, repetition: at + 1, passed: random.uniform() < within(rate) }),
    ),
  )
  return aResult({ kind: 'lift', variant, items })
}

/** Studies of one skill: how many say that it helps, how many that it hurts, and how many of these are wrong. */
function studies({ gain, spread }, { evals, repetitions, count }, seed = 41) {
  const random = randomFrom(seed)
  const found = { helps: 0, hurts: 0, wrong: 0 }
  for (let study = 0; study < count; study += 1) {
    const rates = Array.from({ length: evals }, () => 0.5 - gain / 2 + spread * (random.uniform() - 0.5))
    const gained = rates.map((rate) => rate + gain)
    const without = arm(random, 'without', rates, repetitions)
    const { conclusion } = liftOf(without, arm(random, 'with', gained, repetitions), evals)
    if (conclusion === 'not-shown') continue
    found[conclusion] += 1
    found.wrong += Math.sign(gain) !== (conclusion === 'helps' ? 1 : -1)
  }
  return found
}

/** The share of studies of few evals without a difference in which the test within items finds one. */
function falseAlarms(evals, repetitions, count, seed = 9) {
  const { uniform } = randomFrom(seed)
  const drawn = (rate) => ({
    passed: Array.from({ length: repetitions }, uniform).filter((value) => value < rate).length,
    decided: repetitions,
  })
  let found = 0
  for (let study = 0; study < count; study += 1) {
    const items = Array.from({ length: evals }, () => {
      const rate = uniform()
      return { without: drawn(rate), with: drawn(rate) }
    })
    found += withinItemsTest(items) <= 0.05
  }
  return found / count
}

export function lift() {
  const plan = { evals: 12, repetitions: 3, count: 1_000 }
  const found = skills.map((skill, at) => ({ ...skill, ...studies(skill, plan, 41 + at) }))
  const sum = (name, of = found) => of.reduce((all, one) => all + one[name], 0)
  const share = (value, of) => `${((100 * value) / of).toFixed(2)} %`
  const none = found.filter(({ gain }) => gain === 0)
  const cells = [2, 3, 4, 5, 6, 7, 8, 9].flatMap((evals) =>
    [1, 2, 3, 5, 10].map((repetitions) => ({ evals, repetitions, rate: falseAlarms(evals, repetitions, 100_000) })),
  )
  const worst = cells.reduce((most, cell) => (cell.rate > most.rate ? cell : most))
  const most = Math.max(...none.map(({ wrong }) => wrong)) / plan.count
  return [
    row(
      'wrong conclusions of `jurist lift`: 10 planted skills (3 help by 30 points, 3 hurt, 4 do nothing), 1,000 studies each, 12 evals × 3',
      share(sum('wrong'), found.length * plan.count),
      'at most 5 %',
      sum('wrong') / (found.length * plan.count) <= 0.05,
    ),
    row('the same for the skill without an effect that has most', share(most, 1), 'at most 5 %', most <= 0.05),
    row(
      `false alarms with fewer than 10 evals, 2 to 9 × 1, 2, 3, 5 and 10, 100,000 studies each: most, at ${worst.evals} × ${worst.repetitions}`,
      share(worst.rate, 1),
      'at most 5 %',
      worst.rate <= 0.05,
    ),
  ]
}
