import { calibrationOf } from '@jurist/experiment/calibrate'
import { compare } from '@jurist/experiment/compare'
import { resultOf, summarize } from '@jurist/experiment/result'
import { anItem, aResult } from '@jurist/experiment/testing'
import { row } from './measure.mjs'
import { randomFrom } from './random.mjs'

/** How likely an item is passed, over items: its mean is the true pass rate. */
const difficulties = [
  { name: '0.5, Beta(5, 5)', a: 5, b: 5 },
  { name: '0.8, Beta(8, 2)', a: 8, b: 2 },
  { name: '0.9, Beta(1.8, 0.2)', a: 1.8, b: 0.2 },
  { name: '0.95, Beta(19, 1)', a: 19, b: 1 },
  { name: '0.95, Beta(0.95, 0.05)', a: 0.95, b: 0.05 },
]

/** The share of simulated runs whose interval of the pass rate holds the true one. */
export function passRateCoverage({ items, repetitions, a, b }, simulations, seed = 7) {
  const random = randomFrom(seed)
  const trials = Array.from({ length: items * repetitions }, (_, index) => ({
    itemId: `i${Math.floor(index / repetitions)}`,
    repetition: (index % repetitions) + 1,
  }))
  const [passed, failed] = [true, false].map((passed) =>
    trials.map((trial) => anItem({ ...trial, passed, judged: passed ? 'pass' : 'fail' })),
  )
  let held = 0
  for (let simulation = 0; simulation < simulations; simulation += 1) {
    let rate = 0
    const run = trials.map(({ repetition }, index) => {
      if (repetition === 1) rate = random.beta(a, b)
      return (random.uniform() < rate ? passed : failed)[index]
    })
    held += holds(summarize({ items: run, planned: run.length }).passRateInterval, a / (a + b))
  }
  return held / simulations
}

function holds(interval, truth) {
  // Bounds that are the truth but for rounding hold it.
  return interval !== null && interval.low - 1e-12 <= truth && truth <= interval.high + 1e-12 ? 1 : 0
}

/**
 * Judges that are right about an item that should pass with a mean probability of `sensitivity`, and about one that should
 * fail of `specificity`; the probability differs from item to item, or from cluster to cluster.
 */
export const judges = [
  { name: '50 items × 5', units: 50, perUnit: 5, share: 0.5, sensitivity: 0.8, specificity: 0.8 },
  { name: '50 items × 3', units: 50, perUnit: 3, share: 0.5, sensitivity: 0.8, specificity: 0.8 },
  { name: '20 clusters of 5', units: 20, perUnit: 5, clusters: true, share: 0.5, sensitivity: 0.8, specificity: 0.8 },
  { name: '30 items, 90 % pass', units: 30, perUnit: 1, share: 0.9, sensitivity: 0.9, specificity: 0.7 },
  { name: '100 items, 90 % pass', units: 100, perUnit: 1, share: 0.9, sensitivity: 0.95, specificity: 0.8 },
]
const concentration = 2

function recordedJudge(random, { units, perUnit, clusters = false, share, sensitivity, specificity }) {
  const items = []
  for (let unit = 0; unit < units; unit += 1) {
    const label = random.uniform() < share
    const mean = label ? sensitivity : specificity
    const right = perUnit === 1 ? mean : random.beta(mean * concentration, (1 - mean) * concentration)
    for (let trial = 0; trial < perUnit; trial += 1) {
      const place = clusters
        ? { itemId: `u${unit}-${trial}`, repetition: 1 }
        : { itemId: `u${unit}`, repetition: trial + 1 }
      items.push(judged(place, label, random.uniform() < right, clusters ? `c${unit}` : null))
    }
  }
  const configuration = {
    candidate: { name: 'judge', isJury: false },
    scorer: { name: 'exactVerdictMatch', numeric: null, options: {} },
  }
  return aResult({ kind: 'judge', items, configuration })
}

function judged(place, shouldPass, match, cluster) {
  const word = (passed) => (passed ? 'pass' : 'fail')
  const [expected, predicted] = [word(shouldPass), word(shouldPass === match)]
  const judgment = {
    status: predicted,
    reasoning: '',
    checks: [],
    metadata: {},
    score: { type: 'boolean', value: predicted === 'pass' },
  }
  const scorer = { scored: true, match, score: match ? 1 : 0, expected, predicted, reasoning: '' }
  return anItem({
    ...place,
    passed: match,
    detail: { kind: 'judge', judgment, expectedLabel: expected, scorer, swapped: null },
    metadata: { calibration: { cluster, annotators: null, members: null, swapped: null } },
  })
}

/** What the measures of a judge are when there is no end of items. */
function trueMeasures(judge) {
  const many = recordedJudge(randomFrom(1), { ...judge, units: Math.ceil(30_000 / judge.perUnit) })
  const { report } = calibrationOf(many, { resamples: 0 })
  const { share, sensitivity, specificity } = judge
  return {
    agreement: share * sensitivity + (1 - share) * specificity,
    balancedAccuracy: (sensitivity + specificity) / 2,
    kappa: report.kappa.value,
    gwetAC1: report.gwetAC1,
    krippendorffAlpha: report.krippendorffAlpha.value,
    mcc: report.mcc,
  }
}

/** By measure, the share of simulated calibrations whose interval holds the true value, where there is an interval. */
export function calibrationCoverage(judge, simulations, seed = 11) {
  const random = randomFrom(seed)
  const truth = trueMeasures(judge)
  const held = {}
  for (let simulation = 0; simulation < simulations; simulation += 1) {
    const { report } = calibrationOf(recordedJudge(random, judge), { resamples: 500, seed: simulation })
    const { agreement, kappa, intervals } = report
    const known = { agreement: agreement.wilson, kappa: kappa.interval, ...intervals }
    for (const [measure, value] of Object.entries(truth)) {
      held[measure] ??= { held: 0, of: 0 }
      if (known[measure] === null) continue
      held[measure].held += holds(known[measure], value)
      held[measure].of += 1
    }
  }
  return Object.fromEntries(Object.entries(held).map(([measure, count]) => [measure, count.held / count.of]))
}

/** The score of a trial: what its item is like, and chance. */
const scoreKinds = {
  normal: (random, item) => clipped(item + 0.1 * random.normal()),
  skewed: (random, item) => clipped(item ** 3 * random.beta(8, 1)),
}

function clipped(value) {
  return Math.min(1, Math.max(0, value))
}

/** The share of comparisons of an agent with itself whose interval of the difference of a score holds 0. */
export function differenceCoverage({ items, repetitions, kind }, simulations, seed = 13) {
  const random = randomFrom(seed)
  let held = 0
  for (let simulation = 0; simulation < simulations; simulation += 1) {
    const means = Array.from({ length: items }, () => random.beta(2, 2))
    const run = () => {
      const trials = means.flatMap((mean, item) =>
        Array.from({ length: repetitions }, (_, index) =>
          anItem({ itemId: `i${item}`, repetition: index + 1, scores: { style: scoreKinds[kind](random, mean) } }),
        ),
      )
      return resultOf(aResult({ items: trials, planned: trials.length }))
    }
    held += holds(compare(run(), run()).scores.style.interval, 0)
  }
  return held / simulations
}

const percent = (share) => `${(100 * share).toFixed(1)} %`
/** In whole percents, as a simulation is no more precise than that. */
const covers = (share) => Math.round(100 * share) >= 93 && Math.round(100 * share) <= 97
const target = '93 to 97 %'

function passRateRows(simulations) {
  const sizes = [20, 30, 100].map((items) => ({ items, repetitions: 3 }))
  const covered = [...sizes, { items: 30, repetitions: 1 }].flatMap((size) =>
    difficulties.map(({ name, ...difficulty }) => {
      const share = passRateCoverage({ ...size, ...difficulty }, simulations)
      return row(`pass rate, ${size.items} × ${size.repetitions}, ${name}`, percent(share), target, covers(share))
    }),
  )
  const few = [
    { items: 5, repetitions: 3 },
    { items: 10, repetitions: 3 },
    { items: 10, repetitions: 10 },
  ].flatMap((size) => difficulties.map((difficulty) => passRateCoverage({ ...size, ...difficulty }, simulations)))
  const [least, most] = [Math.min(...few), Math.max(...few)]
  return [
    ...covered,
    row('pass rate, 5 and 10 items', `${percent(least)} to ${percent(most)}`, 'at least 91 %', least >= 0.905),
  ]
}

function calibrationRows(simulations) {
  return judges.flatMap((judge) =>
    Object.entries(calibrationCoverage(judge, simulations)).map(([measure, share]) =>
      row(`${measure}, ${judge.name}`, percent(share), target, covers(share)),
    ),
  )
}

function differenceRows(simulations) {
  return Object.keys(scoreKinds).flatMap((kind) =>
    [
      { items: 10, repetitions: 3 },
      { items: 15, repetitions: 3 },
      { items: 40, repetitions: 3 },
    ].map((size) => {
      const share = differenceCoverage({ ...size, kind }, simulations)
      return row(
        `difference of a ${kind} score, ${size.items} × ${size.repetitions}`,
        percent(share),
        target,
        covers(share),
      )
    }),
  )
}

/** How often does an interval of 95 % hold what it is an interval of? */
export async function intervalCoverage({ simulations = 4_000 } = {}) {
  const quarter = Math.ceil(simulations / 4)
  return [...passRateRows(simulations), ...calibrationRows(simulations), ...differenceRows(quarter)]
}
