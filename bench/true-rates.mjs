import { estimateRate } from '@jurist/experiment/label'
import { moduleFromSource } from './from-source.mjs'
import { row } from './measure.mjs'
import { randomFrom } from './random.mjs'

const { nextStrata } = await moduleFromSource('packages/experiment/src/result/statistics/labelled-rate.ts')

const percent = (share) => `${(100 * share).toFixed(1)} %`
const trials = 1_000

/** The true rate, and what the judge passes of the trials that should pass and of those that should not. */
const judges = [
  [0.8, 0.95, 0.85],
  [0.9, 0.95, 0.7],
  [0.95, 0.98, 0.9],
  [0.99, 0.97, 0.8],
]

/** Verdicts and truths of a run, in random order. */
function runOf({ uniform }, [rate, sensitivity, specificity]) {
  return Array.from({ length: trials }, () => {
    const truth = uniform() < rate
    return { truth, verdict: uniform() < (truth ? sensitivity : 1 - specificity) ? 0 : 1 }
  })
}

function strataOf(run, isLabelled) {
  return [0, 1].map((place) => {
    const own = run.filter(({ verdict }) => verdict === place)
    const labelled = own.filter(isLabelled)
    return { trials: own.length, labelled: labelled.length, passed: labelled.filter(({ truth }) => truth).length }
  })
}

/** The width of Wilson's interval of the labels alone. */
function wilsonWidth(rate, n) {
  const z = 1.959964
  return ((2 * z) / (1 + z ** 2 / n)) * Math.sqrt((rate * (1 - rate)) / n + z ** 2 / (4 * n ** 2))
}

/** The strata without pseudo-labels, normal, with the variance of the sample: what PPI++ with power tuning does for the mean of a verdict. */
function plugIn(strata, run) {
  const n = strata.reduce((sum, { labelled }) => sum + labelled, 0)
  const present = strata.filter(({ labelled }) => labelled > 0)
  const mean = present.reduce(
    (sum, { trials: all, labelled, passed }) => sum + (all / run.length) * (passed / labelled),
    0,
  )
  const variance = present.reduce(
    (sum, { trials: all, labelled, passed }) => {
      const rate = passed / labelled
      return sum + (all / run.length) ** 2 * ((rate * (1 - rate)) / labelled)
    },
    (mean * (1 - mean)) / run.length,
  )
  const half = 1.96 * Math.sqrt(n > 1 ? (variance * n) / (n - 1) : variance)
  return { low: mean - half, high: mean + half }
}

/** True pass rates from few labels: how often the interval holds the truth, and how wide it is beside the labels alone. */
export function trueRates() {
  const simulations = 1_000
  const rows = []
  for (const judge of judges)
    for (const labels of [20, 40, 60, 100]) {
      const random = randomFrom(42)
      const [covered, width] = [
        { own: 0, plain: 0 },
        { own: 0, alone: 0, next: 0 },
      ]
      for (let simulation = 0; simulation < simulations; simulation += 1) {
        const run = runOf(random, judge)
        const strata = strataOf(
          run.slice(0, labels).concat(run.slice(labels).map((one) => ({ ...one, open: true }))),
          ({ open }) => open !== true,
        )
        const { tasks } = estimateRate({ strata })
        const plain = plugIn(strata, run)
        const holds = ({ low, high }) => Number(low <= judge[0] && judge[0] <= high)
        covered.own += holds(tasks)
        covered.plain += holds(plain)
        const passed = strata.reduce((sum, stratum) => sum + stratum.passed, 0)
        width.own += tasks.high - tasks.low
        width.alone += wilsonWidth(passed / labels, labels)
      }
      const [own, plain] = [covered.own / simulations, covered.plain / simulations]
      const ratio = width.own / width.alone
      const name = `rate ${judge[0]}, judge ${judge[1]} / ${judge[2]}, ${labels} labels`
      const figure = `held in ${percent(own)} (without pseudo-labels ${percent(plain)}), ${ratio.toFixed(2)} × as wide as the labels alone`
      rows.push(row(name, figure, '93 %, 1.05 ×', own >= 0.93 && ratio <= 1.05))
    }
  return [...rows, ...chosenLabels()]
}

/** After 20 uniform labels 40 by verdict, beside 60 uniform ones. */
function chosenLabels() {
  const simulations = 1_000
  return judges.map((judge) => {
    const random = randomFrom(43)
    let [chosen, uniform, covered] = [0, 0, 0]
    for (let simulation = 0; simulation < simulations; simulation += 1) {
      const run = runOf(random, judge)
      const first = new Set(run.slice(0, 20))
      const open = run.slice(20)
      for (const place of nextStrata(
        strataOf(run, (one) => first.has(one)),
        40,
      )) {
        const next = open.findIndex(({ verdict }) => verdict === place)
        first.add(...open.splice(next, 1))
      }
      const sixty = new Set(run.slice(0, 60))
      const { tasks } = estimateRate({ strata: strataOf(run, (one) => first.has(one)) })
      const other = estimateRate({ strata: strataOf(run, (one) => sixty.has(one)) }).tasks
      chosen += tasks.high - tasks.low
      uniform += other.high - other.low
      covered += tasks.low <= judge[0] && judge[0] <= tasks.high
    }
    const figure = `${(chosen / uniform).toFixed(3)} × as wide, held in ${percent(covered / simulations)}`
    return row(
      `rate ${judge[0]}, judge ${judge[1]} / ${judge[2]}: 20 labels and 40 by --next`,
      figure,
      '1.01 ×, 93 % ± 2',
      chosen <= 1.01 * uniform && covered / simulations >= 0.91,
    )
  })
}
