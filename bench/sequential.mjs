import { moduleFromSource } from './from-source.mjs'
import { row } from './measure.mjs'
import { randomFrom } from './random.mjs'

const statistics = 'packages/experiment/src/result/statistics'
const { firstLook, formOf, sequentialLooks, sequentialPower } = await moduleFromSource(`${statistics}/sequential.ts`)
const { differenceSequence } = await moduleFromSource(`${statistics}/bets.ts`)
const { thresholdShare } = await moduleFromSource(`${statistics}/finite-rate.ts`)

const percent = (share) => `${(100 * share).toFixed(2)} %`

/** A share, and three standard errors of so many simulations. */
const most = (share, simulations) => share + 3 * Math.sqrt((share * (1 - share)) / simulations)

/** A pair that becomes better or worse with these chances. */
function pairOf({ uniform }, better, worse) {
  const draw = uniform()
  return draw < better ? 1 : draw < better + worse ? -1 : 0
}

/** Simulated comparisons of `items` items: how often one is decided, and how. */
function simulate({ items, draw, simulations, seed = 39, ...rule }) {
  const random = randomFrom(seed)
  const found = { decided: 0, notWorse: 0, covered: 0, run: 0 }
  const { alpha = 0.05 } = rule
  for (let simulation = 0; simulation < simulations; simulation += 1) {
    const looks = sequentialLooks({ ...formOf('passed', 1), ...rule })
    let taken = 0
    for (; taken < items && looks.now.why === null; taken += 1) looks.take(draw(random))
    const { stop, pairs, p, isNotWorse } = looks.ended()
    found.run += taken / items
    if (stop !== null || (pairs >= firstLook && p <= alpha)) found.decided += looks.now.why !== 'not-worse'
    found.notWorse += isNotWorse
  }
  return Object.fromEntries(Object.entries(found).map(([name, count]) => [name, count / simulations]))
}

/** Comparisons without a difference; the exact shares of false alarms are those of sequentialPower. */
function nulls() {
  const simulations = 20_000
  return [0.1, 0.05, 0.25].map((share) => {
    const { decided } = simulate({ items: 100, draw: (random) => pairOf(random, share, share), simulations })
    const exact = sequentialPower({ items: 100, better: share, worse: share }).decided
    const error = Math.sqrt((exact * (1 - exact)) / simulations)
    const figure = `${percent(decided)}, exactly ${percent(exact)}`
    const question = `false alarms of 100 items, ${100 * share} % better and worse`
    return row(question, figure, '3 standard errors, 5 %', Math.abs(decided - exact) <= 3 * error && decided <= 0.05)
  })
}

/** Three trials of an item on both sides, with a rate of its own; a share of them decides nothing. */
function repeated(random, repetitions, undecided) {
  const rate = random.uniform()
  const side = () => {
    const trials = Array.from({ length: repetitions }, () =>
      random.uniform() < undecided ? null : random.uniform() < rate,
    )
    const decided = trials.filter((passed) => passed !== null)
    return decided.length === 0 ? null : decided.filter(Boolean).length / decided.length
  }
  const [one, other] = [side(), side()]
  return one === null || other === null ? null : other - one
}

function otherNulls() {
  const cells = [
    ['3 repetitions', { ...formOf('passed', 3), draw: (random) => repeated(random, 3, 0) }],
    [
      '3 repetitions, 30 % of the trials undecided',
      { ...formOf('passed', 3), draw: (random) => repeated(random, 3, 0.3) },
    ],
    ['30 % of the trials undecided', { draw: (random) => repeated(random, 1, 0.3) }],
  ]
  return cells.map(([name, rule]) => {
    const { decided } = simulate({ items: 100, simulations: 4_000, ...rule })
    return row(`false alarms of 100 items, ${name}`, percent(decided), 'at most 5 %', decided <= 0.05)
  })
}

/** 20,000 and 10,000 take five minutes: `JURIST_SIMULATIONS=10000`. */
const few = Number(process.env['JURIST_SIMULATIONS'] ?? 300)

/** Exactly as much worse as the margin. */
function margins() {
  return [
    [100, 0.1, 0.05],
    [200, 0.15, 0.05],
  ].map(([items, margin, better]) => {
    const draw = (random) => pairOf(random, better, better + margin)
    const { notWorse, run } = simulate({ items, margin, draw, simulations: 2 * few })
    const question = `false "not worse" of ${items} items, margin ${100 * margin} points, ${percent(run)} of the items run`
    return row(question, percent(notWorse), 'at most 5 % and three standard errors', notWorse <= most(0.05, 2 * few))
  })
}

/** Three variants against one baseline: any finding in a session. */
function sessions() {
  const random = randomFrom(40)
  const simulations = 4_000
  let found = 0
  for (let simulation = 0; simulation < simulations; simulation += 1) {
    const looks = [0, 1, 2].map(() => sequentialLooks({ ...formOf('passed', 1), comparisons: 3 }))
    for (let item = 0; item < 100; item += 1) {
      const baseline = random.uniform() < 0.5
      for (const one of looks) one.take(Number(random.uniform() < 0.5) - Number(baseline))
    }
    // By Holm's method the smallest p value is found first.
    found += Math.min(...looks.map((one) => one.ended().p)) * 3 <= 0.05
  }
  return [
    row(
      'any finding among 3 variants without a difference',
      percent(found / simulations),
      'at most 5 %',
      found / simulations <= 0.05,
    ),
  ]
}

/** Intervals of comparisons that stop early. */
function coverage() {
  return [
    [0.1, 0.1],
    [0.15, 0.05],
    [0.25, 0.05],
    [0.35, 0.05],
  ].flatMap(([better, worse]) => [60, 100, 200].map((items) => coveredAtStop(items, better, worse)))
}

function coveredAtStop(items, better, worse) {
  const random = randomFrom(41)
  let [covered, stopped] = [0, 0]
  for (let simulation = 0; simulation < few; simulation += 1) {
    const [looks, differences] = [sequentialLooks(formOf('passed', 1)), []]
    while (differences.length < items && looks.now.why === null) {
      differences.push(pairOf(random, better, worse))
      looks.take(differences.at(-1))
    }
    if (differences.length === items) continue
    stopped += 1
    const { low, high } = differenceSequence(differences, { level: 0.975 })
    covered += low <= better - worse && better - worse <= high
  }
  // Without a difference few comparisons stop, and those that do are the misleading ones: the whole is what counts.
  const missed = (stopped - covered) / few
  const name = `intervals that miss at an early stop, +${Math.round(100 * (better - worse))} points, ${items} items (${stopped} of ${few} stop)`
  return row(name, percent(missed), 'at most 2.5 % and three standard errors', missed <= most(0.025, few))
}

function powers() {
  const table = [
    [60, 0.25, 0.05, 0.782, 0.84],
    [100, 0.15, 0.05, 0.534, 0.92],
    [100, 0.25, 0.05, 0.962, 0.64],
    [100, 0.35, 0.05, 0.999, 0.41],
    [200, 0.15, 0.05, 0.87, 0.75],
    [200, 0.25, 0.05, 1, 0.35],
  ]
  return table.map(([items, better, worse, found, run]) => {
    const { decided, share } = sequentialPower({ items, better, worse })
    const figure = `${percent(decided)} after ${percent(share)} of the items`
    const isNear = Math.abs(decided - found) <= 0.001 && Math.abs(share - run) <= 0.01
    return row(
      `found of ${items} items, ${100 * better} % better, ${100 * worse} % worse`,
      figure,
      'the published table',
      isNear,
    )
  })
}

function thresholds() {
  const planned = 100
  return [0.6, 0.8, 0.95].map((rate) => {
    const share = thresholdShare({ planned, threshold: 0.8 }, rate)
    return row(
      `items run against 80 % of ${planned} when ${100 * rate} % pass`,
      percent(share),
      'below 85 %',
      share < 0.85,
    )
  })
}

/** Runs that stop when they are decided: their errors, what they find and what they cost. */
export function sequential() {
  return [...nulls(), ...otherNulls(), ...sessions(), ...coverage(), ...margins(), ...powers(), ...thresholds()]
}
