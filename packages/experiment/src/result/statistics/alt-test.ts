import { meanOf, standardError } from './descriptive.js'
import { studentTProbability } from './distributions.js'
import { checkLevel, statisticInvalid } from './invalid.js'

/** Whether a judge may replace a human annotator. */
export interface AltTestResult {
  readonly epsilon: number
  readonly annotators: Readonly<Record<string, AnnotatorTest>>
  /** Annotators that the judge beats, of those tested; `null`: none was tested. */
  readonly winningRate: number | null
  /** The mean of the judge's advantages. */
  readonly averageAdvantage: number | null
  /** Whether the winning rate reaches 1/2. */
  readonly passes: boolean | null
  /** Annotators with too few items. */
  readonly excluded: readonly string[]
}

/** The judge compared with one annotator. */
export interface AnnotatorTest {
  readonly items: number
  /** How often the judge is at least as close to the others as the annotator. */
  readonly advantage: number
  readonly humanAdvantage: number
  /** `null` when the differences do not vary. */
  readonly t: number | null
  readonly pValue: number
  /** Whether the annotator's advantage is significantly below ε more than the judge's. */
  readonly rejected: boolean
}

/**
 * The alternative annotator test (Calderon, Reichart and Dror 2025): each annotator is left out in turn, and the judge and
 * the annotator are compared by how well they agree with the others; a one-sided t test against ε for each, the false
 * discovery rate controlled after Benjamini and Yekutieli 2001.
 *
 * @param input.annotators ratings by annotator, then item
 * @param input.judge the judge's ratings by item
 * @param input.epsilon what a human's time is worth. Default 0.2
 * @param input.q the false discovery rate. Default 0.05
 * @param input.minimumItems annotators with fewer items are left out. Default 30
 * @param input.scoring `rmse` for numbers: closeness is minus the root mean square distance. Default `accuracy`
 * @throws `statistic-invalid` for options out of range, and for ratings that are not numbers with `rmse`
 *
 * @example
 * import { altTest } from '@jurist/experiment/calibrate'
 *
 * altTest({ annotators: { ann: { a: 'pass' }, ben: { a: 'pass' }, cat: { a: 'fail' } }, judge: { a: 'pass' } }).passes
 */
export function altTest(input: {
  readonly annotators: Readonly<Record<string, AnnotatorRatings>>
  readonly judge: AnnotatorRatings
  readonly epsilon?: number
  readonly q?: number
  readonly minimumItems?: number
  readonly scoring?: Scoring
}): AltTestResult {
  const { annotators, judge, epsilon = 0.2, q = 0.05, minimumItems = 30, scoring = 'accuracy' } = input
  if (!Number.isFinite(epsilon)) statisticInvalid('altTest', `epsilon must be a finite number, not ${epsilon}`)
  checkLevel('altTest', q, 'q')
  if (!Number.isSafeInteger(minimumItems) || minimumItems < 1)
    statisticInvalid('altTest', `minimumItems must be a whole number of at least 1, not ${minimumItems}`)
  const measured = Object.keys(annotators).map((name) => ({ name, ...advantagesOf(annotators, judge, name, scoring) }))
  const tested = measured.filter(({ judges }) => judges.length >= minimumItems)
  const tests = tested.map(({ humans, judges }) => testOf(humans, judges, epsilon))
  const rejected = falseDiscoveries(
    tests.map(({ pValue }) => pValue),
    q,
  )
  const wins = rejected.filter(Boolean).length
  const winningRate = tests.length === 0 ? null : wins / tests.length
  return {
    epsilon,
    annotators: Object.fromEntries(
      tests.map((test, index) => [tested[index]?.name ?? '', { ...test, rejected: rejected[index] === true }]),
    ),
    winningRate,
    averageAdvantage: tests.length === 0 ? null : meanOf(tests.map(({ advantage }) => advantage)),
    passes: winningRate === null ? null : winningRate >= 0.5,
    excluded: measured.filter(({ judges }) => judges.length < minimumItems).map(({ name }) => name),
  }
}

function testOf(
  humans: readonly number[],
  judges: readonly number[],
  epsilon: number,
): Omit<AnnotatorTest, 'rejected'> {
  const differences = humans.map((human, index) => human - (judges[index] ?? 0))
  const items = differences.length
  const mean = meanOf(differences)
  const error = differences.every((difference) => difference === differences[0]) ? 0 : (standardError(differences) ?? 0)
  const t = error === 0 ? null : (mean - epsilon) / error
  return {
    items,
    advantage: meanOf(judges),
    humanAdvantage: meanOf(humans),
    t,
    pValue: t === null ? (mean < epsilon ? 0 : 1) : studentTProbability(t, items - 1),
  }
}

/** Which hypotheses are rejected while the false discovery rate stays below `q`, however the tests depend on each other. */
function falseDiscoveries(pValues: readonly number[], q: number): readonly boolean[] {
  const tests = pValues.length
  const harmonic = pValues.reduce((sum, _, index) => sum + 1 / (index + 1), 0)
  const sorted = [...pValues].sort((a, b) => a - b)
  const last = sorted.findLastIndex((pValue, index) => pValue <= ((index + 1) * q) / (tests * harmonic))
  const bar = sorted[last]
  return pValues.map((pValue) => bar !== undefined && pValue <= bar)
}

/** Ratings by item. */
export type AnnotatorRatings = Readonly<Record<string, string | number>>

/** How a rating is compared with those of others. */
export type Scoring = 'accuracy' | 'rmse'

/**
 * On each item that an annotator, at least one other and the judge rated: whether the annotator is at least as close to the
 * others as the judge (1 or 0), and the other way round. Closeness is compared with 1e-9 to spare.
 */
function advantagesOf(
  annotators: Readonly<Record<string, AnnotatorRatings>>,
  judge: AnnotatorRatings,
  name: string,
  scoring: Scoring,
): { readonly humans: readonly (0 | 1)[]; readonly judges: readonly (0 | 1)[] } {
  const humans: (0 | 1)[] = []
  const judges: (0 | 1)[] = []
  const others = Object.keys(annotators).filter((other) => other !== name)
  for (const [item, human] of Object.entries(annotators[name] ?? {})) {
    const judged = ratingOf(judge, item)
    const references = others.flatMap((other) => ratingOf(annotators[other] ?? {}, item) ?? [])
    if (judged === undefined || references.length === 0) continue
    const [ofJudge, ofHuman] = [closeness(judged, references, scoring), closeness(human, references, scoring)]
    judges.push(isAsClose(ofJudge, ofHuman) ? 1 : 0)
    humans.push(isAsClose(ofHuman, ofJudge) ? 1 : 0)
  }
  return { humans, judges }
}

/** Binary fractions: ratings in tenths that are equally far away may differ in their last digit. */
const accident = 1e-9

function isAsClose(own: number, other: number): boolean {
  return own + accident * Math.max(1, Math.abs(own), Math.abs(other)) >= other
}

function ratingOf(ratings: AnnotatorRatings, item: string): string | number | undefined {
  return Object.hasOwn(ratings, item) ? ratings[item] : undefined
}

function closeness(rating: string | number, references: readonly (string | number)[], scoring: Scoring): number {
  switch (scoring) {
    case 'accuracy':
      return references.filter((reference) => reference === rating).length / references.length
    case 'rmse': {
      const squares = references.map((reference) => (numberOf(reference) - numberOf(rating)) ** 2)
      return -Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length)
    }
    default:
      return scoring satisfies never
  }
}

function numberOf(rating: string | number): number {
  return typeof rating === 'number' && Number.isFinite(rating)
    ? rating
    : statisticInvalid('altTest', `rmse needs ratings that are finite numbers, not ${rating}`)
}
