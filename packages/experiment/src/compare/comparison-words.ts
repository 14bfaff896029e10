import { counted, grouped, pEquals, points, pValue, rounded, score, signed, unknown } from '../result/amounts.js'
import { mcnemarExact } from '../result/statistics/paired-tests.js'
import type { Comparison, FlipCounts, MeanTest, PairedDelta, ScoreComparison } from './comparison.js'
import { sequentialLines } from './sequential-reading.js'
import { significanceOf } from './tally.js'

/**
 * The p value that decides a comparison, with the name of its test. A comparison that was stored earlier has the sign test.
 */
export function testText({ test, permutation }: NonNullable<Comparison['passRate']>): string {
  if (permutation?.method === 'anytime') return `${pText(permutation)}, valid at any time`
  if (permutation?.method === 'stagewise') return `${pText(permutation)}, stagewise, exact`
  if (test.method === 'mcnemar-exact') return `${pText(permutation ?? test)}, McNemar, exact`
  if (permutation === undefined) return `${pText(test)}, sign test, exact`
  const exact = permutation.method === 'sign-flip-exact' ? ', exact' : ''
  return `${pText(permutation)}, sign-flip test of item means${exact}`
}

/** A p value, with its adjusted value if it was tested with others. */
export function pText(test: Pick<MeanTest, 'pValue'> & Partial<Pick<MeanTest, 'adjustedPValue' | 'tests'>>): string {
  const { tests = 1, adjustedPValue } = test
  const among = tests === 1 ? '' : `, ${pValue(adjustedPValue)} by Holm over ${tests}`
  return `${pEquals(test.pValue)}${among}`
}

/** The number of pairs of trials that flipped, and the number expected by chance; `null`: there is nothing to report. */
export function flipsText({ pairs, better, worse, byChance }: FlipCounts): string | null {
  const flips = better + worse
  if (pairs === 0 || (flips === 0 && byChance === null)) return null
  const split = flips === 0 ? '' : `, ${grouped(worse)} worse and ${grouped(better)} better`
  const seen = `Flips: ${flips === 0 ? 'none' : grouped(flips)} of ${grouped(pairs)} pairs of trials${split}.`
  if (byChance === null) return `${seen} ${oneWay(flips)}`
  const about = byChance === 0 ? 'none' : `about ${byChance < 10 ? rounded(byChance, 1) : grouped(byChance)}`
  return `${seen} Chance alone gives ${about}: this is how much repetitions within a run differ.`
}

/** One repetition does not show how many flips chance gives, but chance favours neither side. */
function oneWay(flips: number): string {
  const least = leastOneWay(flips)
  const range =
    least === 0
      ? 'so few may all go one way by chance'
      : `it sends ${grouped(least)} to ${grouped(flips - least)} of ${grouped(flips)} one way`
  return `One repetition does not show how many chance alone gives; ${range}.`
}

/** The smaller side of the most uneven split that is not significant, by bisection. */
function leastOneWay(flips: number): number {
  let [low, high] = [0, Math.floor(flips / 2)]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (mcnemarExact(middle, flips - middle) > 0.05) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * How many times the candidate costs and takes, where the interval of the difference excludes 0; `null` if neither was
 * measured.
 */
export function priceText({ costUsd, durationMs }: Pick<Comparison, 'costUsd' | 'durationMs'>): string | null {
  const measured = [['cost', costUsd] as const, ['time', durationMs] as const].flatMap(([name, measure]) =>
    measure === null || measure.baselineMean <= 0 ? [] : [{ name, ...measure }],
  )
  if (measured.length === 0) return null
  const isClear = ({ interval }: (typeof measured)[number]) =>
    interval !== null && (interval.low > 0 || interval.high < 0)
  const times = measured
    .filter(isClear)
    .map(({ name, baselineMean, candidateMean }) => `${twoDigits(candidateMean / baselineMean)} × the ${name}`)
  const same = measured.filter((measure) => !isClear(measure)).map(({ name }) => name)
  const rest = same.length === 0 ? [] : [`no difference in ${same.join(' and ')} was detected`]
  return `Per trial of the agent: ${[...times, ...rest].join(', ')}.`
}

/** Made when it is used, since the first format that a process makes takes as long as loading a package. */
function twoDigits(ratio: number): string {
  return new Intl.NumberFormat('en', { maximumSignificantDigits: 2 }).format(ratio)
}

const mostNamed = 5

/** The scores and criteria that moved by more than chance explains, among all that were looked at. */
export function findings(comparison: Pick<Comparison, 'scores' | 'checks' | 'alpha'>): readonly string[] {
  const alpha = significanceOf(comparison)
  return [...beyondChance('Scores', comparison.scores, alpha), ...beyondChance('Criteria', comparison.checks, alpha)]
}

function beyondChance(
  what: string,
  scores: Readonly<Record<string, ScoreComparison>>,
  alpha: number,
): readonly string[] {
  const found = Object.entries(scores)
    .flatMap(([name, { delta, permutation }]) => (permutation === undefined ? [] : [{ name, delta, ...permutation }]))
    .filter(({ adjustedPValue }) => adjustedPValue <= alpha)
    .sort((one, other) => one.adjustedPValue - other.adjustedPValue)
  const [first] = found
  if (first === undefined) return []
  const named = found
    .slice(0, mostNamed)
    .map(({ name, delta, adjustedPValue }) => `${name} ${signed(delta, threeDigits)} (${pEquals(adjustedPValue)})`)
  const more = found.length > mostNamed ? ` and ${grouped(found.length - mostNamed)} more` : ''
  const among = first.tests === 1 ? '' : ` By Holm over ${grouped(first.tests)}.`
  return [`${what} beyond chance: ${named.join(', ')}${more}.${among}`]
}

/**
 * Formats a number with three significant digits. Rounding never turns a number below 1 into `1.00`, or one other than 0 into
 * `0.00`; amounts below 1e-9 are rounding errors of binary fractions and count as 0.
 */
export function threeDigits(value: number | null | undefined, none: string = unknown): string {
  if (value === null || value === undefined) return none
  const amount = Math.abs(value)
  if (amount < 1e-9) return '0.00'
  if (amount >= 999.5) return grouped(value)
  const places = Math.max(0, 2 - Math.floor(Math.log10(amount)))
  const isCarried = Number(rounded(amount, places)) >= 10 ** (3 - places)
  const text = rounded(amount, isCarried ? places - 1 : places)
  if (amount < 1 && Number(text) === 1) return score(value)
  return value < 0 ? `-${text}` : text
}

/** The difference by labels, and whose word it is where the verdicts conclude otherwise; `null` without labels. */
export function byLabelsText({ byLabels, conclusion }: Pick<Comparison, 'byLabels' | 'conclusion'>): string | null {
  if (byLabels === undefined) return null
  const { items, difference, low, high } = byLabels
  const found = low > 0 ? 'improved' : high < 0 ? 'regressed' : 'no-difference-detected'
  const other = found === conclusion ? '' : ' This line rests on people, the conclusion on the verdicts.'
  return `By labels (${counted(items, 'item')} labelled in both): ${points(difference)} points, 95 % interval ${points(low)} to ${points(high)}.${other}`
}

/** The sentences of a comparison that stops when it is decided; none for others. */
export function sequentialHeadline({
  sequential,
  baseline,
  candidate,
  passRate,
  costUsd,
  durationMs,
  conclusion,
}: Omit<Comparison, 'items'>): readonly string[] {
  if (sequential === undefined) return []
  const nameOf = ({ variant, id }: typeof baseline) => variant ?? id
  const spared = (measure: PairedDelta | null) =>
    measure === null ? null : measure.candidateMean + (sequential.sparesBoth ? measure.baselineMean : 0)
  // Several comparisons are read together, so their conclusions decide.
  const isFound = conclusion === 'improved' || conclusion === 'regressed'
  const why = isFound ? conclusion : sequential.isNotWorse ? 'not-worse' : null
  return sequentialLines(
    { ...sequential, why },
    {
      baseline: nameOf(baseline),
      candidate: candidate.variant ?? 'the candidate',
      delta: passRate?.delta ?? null,
      costPerItem: spared(costUsd),
      msPerItem: spared(durationMs),
    },
  )
}
