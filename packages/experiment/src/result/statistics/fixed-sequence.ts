import { incompleteBeta } from './distributions.js'
import { checkCounts, checkLevel, statisticInvalid } from './invalid.js'

/** The number of labelled items that a threshold decides, and how many of them wrongly. */
export interface ThresholdCounts {
  readonly threshold: number
  readonly decided: number
  readonly errors: number
}

/** A threshold with its test. */
export interface ThresholdTest extends ThresholdCounts {
  /** The chance of so few errors if the risk were `alpha`; `null`: it was not tested. */
  readonly pValue: number | null
  /** `skipped`: before the first threshold that decides enough. `untested`: behind the first that failed. */
  readonly outcome: 'skipped' | 'certified' | 'failed' | 'untested'
}

/** The tests of a sequence, and the last threshold that held. */
export interface FixedSequence {
  readonly tests: readonly ThresholdTest[]
  /** The loosest threshold that is certified; `null` when none is. */
  readonly certified: ThresholdTest | null
}

/**
 * The chance of at most `errors` errors among `decided` decisions whose risk is `alpha`: P(Bin(n, α) ≤ k).
 *
 * @throws `statistic-invalid` for counts that are not whole numbers, more errors than decisions, `alpha` outside (0, 1)
 */
export function riskPValue(errors: number, decided: number, alpha: number): number {
  checkCounts('riskPValue', { errors, decided })
  checkLevel('riskPValue', alpha, 'alpha')
  if (errors > decided)
    statisticInvalid('riskPValue', `errors must not exceed decided, but ${errors} of ${decided} were given`)
  // The other tail of the beta distribution, so that a small chance keeps its digits.
  return errors === decided ? 1 : incompleteBeta(1 - alpha, decided - errors, errors + 1)
}

/**
 * The fewest decisions with which a risk of at most `alpha` can be certified when none of them is wrong: ⌈ln δ / ln(1 − α)⌉.
 *
 * @throws `statistic-invalid` for `alpha` or `delta` outside (0, 1)
 */
export function zeroErrorDecisions(alpha: number, delta: number): number {
  checkLevel('zeroErrorDecisions', alpha, 'alpha')
  checkLevel('zeroErrorDecisions', delta, 'delta')
  return Math.ceil(Math.log(delta) / Math.log1p(-alpha))
}

/**
 * Tests thresholds from the strictest to the loosest, each at the full `delta`, and stops at the first that fails: fixed-sequence
 * testing as in Learn then Test (Angelopoulos, Bates, Candès, Jordan and Lei 2021, 2110.01052), with the exact binomial test.
 * With probability 1 − `delta` at least, the risk of the certified threshold is at most `alpha`. The sequence begins at the first
 * threshold that decides enough to be certified without an error; that choice uses no label. If none holds, nothing is
 * certified, not even the strictest threshold.
 *
 * @param counts strictest threshold first
 * @throws `statistic-invalid`
 */
export function fixedSequence(
  counts: readonly ThresholdCounts[],
  { alpha, delta }: { readonly alpha: number; readonly delta: number },
): FixedSequence {
  const enough = zeroErrorDecisions(alpha, delta)
  let certified: ThresholdTest | null = null
  let state: 'before' | 'testing' | 'stopped' = 'before'
  const tests = counts.map((count) => {
    if (state === 'before' && count.decided >= enough) state = 'testing'
    if (state !== 'testing')
      return { ...count, pValue: null, outcome: state === 'before' ? ('skipped' as const) : ('untested' as const) }
    const pValue = riskPValue(count.errors, count.decided, alpha)
    const test: ThresholdTest = { ...count, pValue, outcome: pValue <= delta ? 'certified' : 'failed' }
    if (test.outcome === 'certified') certified = test
    else state = 'stopped'
    return test
  })
  return { tests, certified }
}

/** With more decisions than this, labelling is not recommended. */
const mostDecisions = 20_000

/**
 * How many decisions a test needs that certifies `alpha` with the chance `power`, when the true risk is `risk`.
 *
 * @param power default 0.8
 * @returns `null` when the risk is not below `alpha`, and beyond 20,000
 * @throws `statistic-invalid`
 */
export function decisionsNeeded(given: {
  readonly risk: number
  readonly alpha: number
  readonly delta: number
  readonly power?: number
}): number | null {
  const { risk, alpha, delta, power = 0.8 } = given
  const first = zeroErrorDecisions(alpha, delta)
  if (!(risk >= 0)) statisticInvalid('decisionsNeeded', `risk must be at least 0, not ${risk}`)
  if (risk >= alpha) return null
  let allowed = 0
  for (let decided = first; decided <= mostDecisions; decided += 1) {
    // One more decision allows one more error at most.
    if (riskPValue(Math.min(allowed + 1, decided), decided, alpha) <= delta) allowed += 1
    if (risk === 0 || riskPValue(allowed, decided, risk) >= power) return decided
  }
  return null
}
