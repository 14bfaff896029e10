import { bets, notWorse, tangoScore } from './bets.js'
import { logGamma } from './distributions.js'
import { checkCounts, statisticInvalid } from './invalid.js'
import { binomial } from './power.js'
import { seededRandom } from './random.js'

/** No look comes before this many pairs or items. */
export const firstLook = 10

/** Rounding of logarithms of evidence: a tie with the line counts as reaching it. */
const accident = 1e-12

/**
 * The evidence that pairs do not change either way alike, as a natural logarithm: the mixture over all shares of the likelihood ratio,
 * 2^(k + w) B(k + 1, w + 1). If they do, it ever reaches x with a chance of at most 1/x (Ville 1939; Robbins 1970).
 *
 * @throws `statistic-invalid` for counts that are not whole numbers of at least 0
 */
export function pairEvidence(better: number, worse: number): number {
  checkCounts('pairEvidence', { better, worse })
  return logPairs(better, worse)
}

function logPairs(better: number, worse: number): number {
  const changed = better + worse
  return changed * Math.LN2 + logGamma(better + 1) + logGamma(worse + 1) - logGamma(changed + 2)
}

/** How evidence is weighed. It follows from the plan, never from the data. */
export interface EvidenceForm {
  /** 3 divided by the repetitions for means of them, 0.06 for scores; `null`: pairs of single trials. */
  readonly rho: number | null
  /** How many steps of the walk a difference of 1 is. */
  readonly steps: number
}

/** The form for pass rates of `repetitions` trials of an item, or for scores. */
export function formOf(measure: 'passed' | 'score', repetitions: number): EvidenceForm {
  if (measure === 'score') return { rho: 0.06, steps: 100 }
  if (repetitions === 1) return { rho: null, steps: 1 }
  return { rho: 3 / repetitions, steps: [1, 2, 6, 12, 60][repetitions - 1] ?? 100 }
}

/** The logarithm of the evidence of a sum and a sum of squares, in steps (Robbins 1970; de la Peña, Klass and Lai 2004). */
function evidenceOf({ rho, steps }: EvidenceForm, sum: number, squares: number): number {
  if (rho === null) return logPairs((squares + sum) / 2, (squares - sum) / 2)
  const variance = squares / steps ** 2
  return 0.5 * Math.log(rho / (variance + rho)) + (sum / steps) ** 2 / (2 * (variance + rho))
}

/** The evidence of all differences, whether or not a look would have stopped before them. */
export function evidenceOver(
  form: EvidenceForm,
  differences: readonly number[],
): Pick<SequentialTest, 'better' | 'worse' | 'sum' | 'evidence'> {
  const sizes = differences.map((one) => Math.sign(one) * Math.floor(Math.abs(one) * form.steps + 0.5))
  const sum = sizes.reduce((total, size) => total + size, 0)
  const squares = sizes.reduce((total, size) => total + size ** 2, 0)
  const [better, worse] = [1, -1].map((sign) => differences.filter((one) => one * sign > 0).length)
  return { better: better ?? 0, worse: worse ?? 0, sum, evidence: evidenceOf(form, sum, squares) }
}

interface WalkState {
  /** How likely a look has stopped until now. */
  readonly crossed: number
  /** How likely the sum is this far from 0 without; its length is the first distance that a look stops at. */
  readonly live: Float64Array
}

/** The exact distribution of a sum of steps with random signs, one step after the other. Sums that reach the line leave the walk. */
function* fairWalk(form: EvidenceForm, line: number, sizes: Iterable<number>): Generator<WalkState, void> {
  let live = Float64Array.of(1)
  let [crossed, squares, reach, limit] = [0, 0, 0, 1]
  yield { crossed, live }
  for (const size of sizes) {
    squares += size ** 2
    reach += size
    while (limit <= reach && evidenceOf(form, limit, squares) < line) limit += 1
    while (limit > 0 && evidenceOf(form, limit - 1, squares) >= line) limit -= 1
    const next = new Float64Array(limit)
    for (let sum = 0; sum < live.length; sum += 1) {
      const half = (live[sum] ?? 0) / 2
      if (half === 0) continue
      const [far, near] = [sum + size, Math.abs(sum - size)]
      if (far < limit) next[far] = (next[far] ?? 0) + half
      else crossed += half
      if (near < limit) next[near] = (next[near] ?? 0) + half
      else crossed += half
    }
    live = next
    yield { crossed, live }
  }
}

/** The rule of a comparison that stops as soon as it is decided. */
export interface SequentialRule extends EvidenceForm {
  /** Default 0.05. */
  readonly alpha?: number
  /** How many comparisons share the level. Default 1. */
  readonly comparisons?: number
  /** Also stops where the candidate is not worse by this much, such as 0.05. */
  readonly margin?: number | null
}

/** Why a comparison is decided. */
type SequentialDecision = 'improved' | 'regressed' | 'not-worse'

/** The evidence of the differences so far. */
export interface SequentialTest {
  /** How many decided pairs there were at the stop; `null`: no look stopped. */
  readonly stop: number | null
  readonly why: SequentialDecision | null
  readonly pairs: number
  readonly better: number
  readonly worse: number
  /** The sum of the differences as the evidence counts them. */
  readonly sum: number
  readonly squares: number
  /** The natural logarithm of the evidence for a difference. */
  readonly evidence: number
  /** That of "not worse by the margin"; `null` without a margin. */
  readonly marginEvidence: number | null
}

/** A test that stopped or ran to its end. */
interface EndedTest extends SequentialTest {
  /** The probability that a look would have stopped so far if there were no difference. */
  readonly crossed: number
  /** Counts what the looks used: decided exactly where it is at most alpha. */
  readonly p: number
  /** Whether the margin is shown: by a look, or by what is left of alpha at the end. */
  readonly isNotWorse: boolean
}

/** A comparison as it grows. After a stop, further items do not count. */
export interface SequentialLooks {
  /** The difference of the next item in seeded order; `null`: undecided, so not a pair. */
  take(difference: number | null): void
  /** The evidence until now. */
  readonly now: SequentialTest
  /** The result when no more items come. */
  ended(): EndedTest
}

/** The evidence that a look requires, as a logarithm: half of alpha is for looks, and the last look takes what they did not use. */
export function lineOf({ alpha = 0.05, comparisons = 1 }: Pick<SequentialRule, 'alpha' | 'comparisons'>): number {
  return Math.log((2 * comparisons) / alpha) - accident
}

/**
 * Looks after each item from the tenth pair on, and once at the end.
 *
 * @throws `statistic-invalid` for a level outside (0, 0.5], a margin outside (0, 1), and differences outside [−1, 1]
 */
export function sequentialLooks(rule: SequentialRule): SequentialLooks {
  const { alpha = 0.05, comparisons = 1, margin = null, steps, rho } = rule
  if (!(alpha > 0 && alpha <= 0.5)) statisticInvalid('sequentialLooks', `alpha must lie in (0, 0.5], not ${alpha}`)
  if (margin !== null && !(margin > 0 && margin < 1))
    statisticInvalid('sequentialLooks', `margin must lie between 0 and 1, not ${margin}`)
  const line = lineOf(rule)
  const sizes: number[] = []
  const placed = margin === null ? null : bets()
  let [pairs, better, worse, sum, squares] = [0, 0, 0, 0, 0]
  let why: SequentialDecision | null = null
  const marginLine = Math.log((5 * comparisons) / alpha) - accident

  const evidence = () => evidenceOf(rule, sum, squares)
  function now(): SequentialTest {
    const scaled = { sum: sum / steps, squares: squares / steps ** 2 }
    const marginEvidence = placed?.above() ?? null
    const stop = why === null ? null : pairs
    return { stop, why, pairs, better, worse, ...scaled, evidence: evidence(), marginEvidence }
  }
  return {
    take(difference) {
      if (why !== null || difference === null) return
      if (!(Math.abs(difference) <= 1)) statisticInvalid('sequentialLooks', 'differences lie between −1 and 1')
      pairs += 1
      const size = Math.floor(Math.abs(difference) * steps + 0.5)
      if (difference > 0) better += 1
      if (difference < 0) worse += 1
      if (size > 0) sizes.push(size)
      sum += Math.sign(difference) * size
      squares += size ** 2
      placed?.take((difference + 1) / 2, (1 - (margin ?? 0)) / 2)
      if (pairs < firstLook) return
      if (evidence() >= line) why = sum > 0 ? 'improved' : 'regressed'
      else if (placed !== null && placed.above() >= marginLine) why = 'not-worse'
    },
    get now() {
      return now()
    },
    ended() {
      let last: WalkState = { crossed: 0, live: Float64Array.of(1) }
      for (last of fairWalk(rule, line, sizes));
      const p = Math.min(
        1,
        last.live.slice(Math.abs(sum)).reduce((all, mass) => all + mass, last.crossed),
      )
      const left = (0.8 * alpha) / comparisons
      const isShown = () =>
        margin !== null &&
        (rho === null
          ? notWorse({ better, worse, same: pairs - better - worse, margin }).pValue <= left
          : (placed?.above() ?? 0) >= -Math.log(left))
      const isNotWorse = why === 'not-worse' || (why === null && pairs >= firstLook && isShown())
      return { ...now(), crossed: last.crossed, p, isNotWorse }
    },
  }
}

/**
 * How often a comparison of single trials shows "not worse by the margin" where `changed` of the items become better and as many worse,
 * and the mean share of the items that run: from simulated comparisons.
 */
export function marginPower(
  rule: SequentialRule & { readonly margin: number; readonly items: number },
  changed: number,
  simulations = 200,
): { readonly shown: number; readonly share: number } {
  const { items, margin, alpha = 0.05, comparisons = 1 } = rule
  const { uniform } = seededRandom(1)
  // The higher the score at the end, the smaller its p value: few of them need to be computed.
  let [shownFrom, notShownTo] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let [shown, run] = [0, 0]
  function isShown(better: number, worse: number): boolean {
    const score = tangoScore(better, worse, items, margin)
    if (score > notShownTo && score < shownFrom) {
      const { pValue } = notWorse({ better, worse, same: items - better - worse, margin })
      if (pValue <= (0.8 * alpha) / comparisons) shownFrom = score
      else notShownTo = score
    }
    return score >= shownFrom
  }
  for (let simulation = 0; simulation < simulations; simulation += 1) {
    const looks = sequentialLooks(rule)
    let item = 0
    for (; item < items && looks.now.why === null; item += 1) {
      const draw = uniform()
      looks.take(draw < changed ? 1 : draw < 2 * changed ? -1 : 0)
    }
    const { why, better, worse } = looks.now
    if (why === 'not-worse' || (why === null && items >= firstLook && isShown(better, worse))) shown += 1
    run += item
  }
  return { shown: shown / simulations, share: run / (simulations * items) }
}

/** Assumptions about a comparison that stops as soon as it is decided: one trial of each item on both sides. */
export interface SequentialPowerInput {
  /** The items that are planned. */
  readonly items: number
  /** The share of items that become better. */
  readonly better: number
  /** The share of items that become worse. */
  readonly worse: number
  /** Default 0.05. */
  readonly alpha?: number
  /** How many comparisons share the level. Default 1. */
  readonly comparisons?: number
}

/** How often a comparison that stops when it is decided finds a difference, and what it costs. */
export interface SequentialPower {
  /** How often it decides, either way. */
  readonly decided: number
  /** How often it decides that the candidate is better. */
  readonly better: number
  /** The mean share of the items that run. */
  readonly share: number
}

const mostItems = 10_000

/**
 * The probability that `jurist run --until decided` finds a true difference, and how many items run until then: computed exactly.
 *
 * @throws `statistic-invalid` for values out of range, and for more than 10,000 items
 *
 * @example
 * import { sequentialPower } from '@jurist/experiment/compare'
 *
 * sequentialPower({ items: 100, better: 0.25, worse: 0.05 }) // { decided: 0.962, better: 0.962, share: 0.643 }, rounded
 */
export function sequentialPower(input: SequentialPowerInput): SequentialPower {
  const { items, better, worse, alpha = 0.05 } = input
  checkCounts('sequentialPower', { items })
  for (const [name, share] of Object.entries({ better, worse, 'better + worse': better + worse }))
    if (!(share >= 0 && share <= 1 + accident))
      statisticInvalid('sequentialPower', `${name} must lie in 0 to 1, not ${share}`)
  if (!(alpha > 0 && alpha <= 0.5)) statisticInvalid('sequentialPower', `alpha must lie in (0, 0.5], not ${alpha}`)
  if (items > mostItems) statisticInvalid('sequentialPower', `items must be at most ${mostItems}, not ${items}`)
  const rest = items - firstLook
  if (rest < 0) return { decided: 0, better: 0, share: 1 }
  const changed = Math.min(1, better + worse)
  const up = changed === 0 ? 0.5 : better / (better + worse)
  // How many of the items after the first look change, and the mean number of items until the j-th of these, or until the end.
  const exactly = Array.from({ length: rest + 2 }, (_, count) => (count > rest ? 0 : binomial(count, rest, changed)))
  const atLeast = exactly.slice()
  for (let count = rest; count >= 0; count -= 1) atLeast[count] = (atLeast[count] ?? 0) + (atLeast[count + 1] ?? 0)
  const until = [0]
  for (let count = 1; count <= rest; count += 1)
    until.push(changed === 0 ? rest : (until[count - 1] ?? 0) + (atLeast[count] ?? 0) / changed)
  const most = firstLook + atLeast.findLastIndex((chance) => chance > 1e-16)
  const bounds = lastLooks(most, alpha, lineOf(input))
  let [decided, found, run] = [0, 0, 0]
  function stop(chance: number, sum: number): void {
    decided += chance
    if (sum > 0) found += chance
  }

  for (let early = 0; early <= firstLook; early += 1) {
    // Likelihoods by the number of better pairs.
    const mass = Float64Array.from({ length: most + 2 }, (_, count) =>
      count > early ? 0 : binomial(early, firstLook, changed) * binomial(count, early, up),
    )
    let [low, high] = [0, early]
    for (let count = 0; ; count += 1) {
      const pairs = early + count
      const { limit, last } = bounds[pairs] ?? { limit: 0, last: 0 }
      for (let place = low; place <= high; place += 1) {
        const sum = 2 * place - pairs
        const chance = mass[place] ?? 0
        if (Math.abs(sum) >= limit) {
          stop(chance * (atLeast[count] ?? 0), sum)
          run += chance * (firstLook + (until[count] ?? 0))
          mass[place] = 0
        } else if (Math.abs(sum) >= last) stop(chance * (exactly[count] ?? 0), sum)
      }
      if (pairs >= most || count >= rest) break
      while (low <= high && mass[low] === 0) low += 1
      while (high >= low && mass[high] === 0) high -= 1
      high += 1
      for (let place = high; place >= low; place -= 1)
        mass[place] = (mass[place] ?? 0) * (1 - up) + (place > low ? (mass[place - 1] ?? 0) * up : 0)
    }
    run += mass.reduce((all, chance) => all + chance) * items
  }
  return { decided: Math.min(1, decided), better: Math.min(1, found), share: Math.min(1, run / items) }
}

/** For each number of changed pairs, how far apart better and worse ones are when a look stops, and when the last look decides. */
function lastLooks(most: number, alpha: number, line: number) {
  const steps = Array.from({ length: most }, () => 1)
  return Array.from(fairWalk({ rho: null, steps: 1 }, line, steps), ({ crossed, live }) => {
    let [last, p] = [live.length, crossed]
    while (last > 0 && p + (live[last - 1] ?? 0) <= alpha) {
      last -= 1
      p += live[last] ?? 0
    }
    return { limit: live.length, last }
  })
}
