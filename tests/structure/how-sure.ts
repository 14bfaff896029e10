import { comparisonPower } from '@jurist/experiment/calibrate'
import { compare } from '@jurist/experiment/compare'
import { type ExperimentResult, percent } from '@jurist/experiment/result'
import { anItem, aResult } from '@jurist/experiment/testing'
import { type IntervalRow, intervalChart, lineChart } from './drawing.js'

/** A run in which item `i` passed `passes[i]` of `repetitions` times. */
function runOf(passes: readonly number[], repetitions = 1): ExperimentResult {
  const items = passes.flatMap((count, index) =>
    Array.from({ length: repetitions }, (_, trial) => {
      const passed = trial < count
      return anItem({ itemId: `item-${index}`, repetition: trial + 1, passed, judged: passed ? 'pass' : 'fail' })
    }),
  )
  return aResult({ items })
}

const some = (count: number, value: number) => Array.from({ length: count }, () => value)

/** A row of the chart of intervals: the pass rate that a run shows. */
function row(label: string, run: ExperimentResult): IntervalRow {
  const { passRate, passRateInterval } = run
  if (passRate === null || passRateInterval === null) throw new Error(`${label} decided nothing`)
  const { low, high } = passRateInterval
  const note = `${percent(passRate)}, 95 %: ${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)}`
  return { label, note, rate: passRate, low, high }
}

const eightyPercent = [5, 10, 20, 50, 100, 200, 500].map((items) =>
  row(`${items * 0.8} of ${items} items`, runOf([...some(items * 0.8, 1), ...some(items * 0.2, 0)])),
)
const sixtyTrials = [
  row('60 items, once', runOf([...some(48, 1), ...some(12, 0)])),
  row('20 items, three times', runOf([...some(12, 3), ...some(4, 2), ...some(4, 1)], 3)),
  row('the same, all alike', runOf([...some(16, 3), ...some(4, 0)], 3)),
]

/** Two agents on 40 items: `better` became right, `worse` became wrong, half of the others passes. */
function comparisonOf(better: number, worse: number) {
  const others = some(40 - better - worse, 1).map((_, index) => index % 2)
  const candidate = runOf([...some(better, 1), ...some(worse, 0), ...others])
  return compare(runOf([...some(better, 0), ...some(worse, 1), ...others]), candidate)
}

const comparisons = [
  [4, 0],
  [6, 0],
  [8, 2],
  [10, 2],
  [12, 8],
].map(([better = 0, worse = 0]) => {
  const { passRate, conclusion, moreItems } = comparisonOf(better, worse)
  const p = passRate?.test.pValue ?? Number.NaN
  const delta = ((passRate?.delta ?? Number.NaN) * 100).toFixed(1)
  return `| ${better} | ${worse} | +${delta} points | ${p.toFixed(3)} | \`${conclusion}\` | ${moreItems ?? '–'} |`
})

const effects = [
  { kind: 'first', points: 30, better: 0.35, worse: 0.05 },
  { kind: 'second', points: 20, better: 0.25, worse: 0.05 },
  { kind: 'third', points: 10, better: 0.15, worse: 0.05 },
] as const
const sizes = [10, 20, 40, 60, 80, 100, 150, 200, 300]

/** The smallest number of items that finds the difference in four of five experiments. */
function itemsFor(better: number, worse: number): number {
  let items = 10
  while (comparisonPower({ items, better, worse }) < 0.8) items += 1
  return items
}

const demands = effects.map(({ points, better, worse }) => {
  const found = [20, 50, 100].map((items) => percent(comparisonPower({ items, better, worse })))
  return `| +${points} points (${better * 100} % better, ${worse * 100} % worse) | ${found.join(' | ')} | ${itemsFor(better, worse)} |`
})

/** Ten items, five trials each: three agents with the same 60 % and different habits. */
const habits = [
  { kind: 'first', label: 'steady: 6 items always', run: runOf([...some(6, 5), ...some(4, 0)], 5) },
  { kind: 'second', label: 'mixed', run: runOf([...some(3, 5), ...some(5, 3), ...some(2, 0)], 5) },
  { kind: 'third', label: 'a lottery: 3 of 5 each', run: runOf(some(10, 3), 5) },
] as const

const repeats = habits.map(({ label, run }) => {
  const of = (k: number) => run.passAtK.find((one) => one.k === k)
  const cells = [of(5)?.passAtK, of(1)?.passAtK, of(3)?.passHatK, of(5)?.passHatK].map((share) => percent(share))
  return `| ${label} | ${cells.join(' | ')} |`
})

/** The tables of the guide, each as its lines. */
export const tables: Readonly<Record<string, readonly string[]>> = { comparisons, demands, repeats }

/** The drawings of the guide, by the name of their file. */
export const drawings: Readonly<Record<string, string>> = {
  'how-sure-intervals.svg': intervalChart(
    'Eighty per cent of how many?',
    `Seven pass rates of 80 percent with their 95 percent intervals: ${eightyPercent.map(({ label, note }) => `${label}: ${note}`).join('; ')}.`,
    eightyPercent,
  ),
  'how-sure-repeats.svg': intervalChart(
    'Sixty trials are not always sixty',
    `Three runs of 60 trials with 80 percent passed: ${sixtyTrials.map(({ label, note }) => `${label}: ${note}`).join('; ')}.`,
    sixtyTrials,
  ),
  'how-sure-power.svg': lineChart({
    title: 'How often a comparison finds a difference that is there',
    description: `Three rising curves over the number of items: ${effects.map(({ points, better, worse }) => `a difference of ${points} points is found in 4 of 5 comparisons from ${itemsFor(better, worse)} items on`).join('; ')}.`,
    xLabel: 'items that both agents ran',
    xTicks: [0, 50, 100, 150, 200, 250, 300],
    curves: effects.map(({ kind, points, better, worse }) => ({
      kind,
      label: `+${points} points`,
      points: sizes.map((items) => [items, comparisonPower({ items, better, worse })] as const),
    })),
  }),
  'how-sure-tries.svg': lineChart({
    title: 'The same 60 percent, and all of k trials',
    description:
      'Three agents pass 60 percent of their trials. The chance that all of k trials pass stays at 60 percent for the steady one, and falls to 30 percent and to 0 for the others.',
    xLabel: 'k: how many trials must all pass (pass^k)',
    xTicks: [1, 2, 3, 4, 5],
    curves: habits.map(({ kind, label, run }) => ({
      kind,
      label,
      points: run.passAtK.filter(({ k }) => k <= 5).map(({ k, passHatK }) => [k, passHatK] as const),
    })),
  }),
}
