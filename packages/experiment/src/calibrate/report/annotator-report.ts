import { three } from '../../result/amounts.js'
import { altTest } from '../../result/statistics/alt-test.js'
import { meanOf } from '../../result/statistics/descriptive.js'
import type { AnnotatorReport } from '../calibration.js'
import type { LabelClasses, ReportSettings } from './report-settings.js'
import type { CalibratedTrial } from './scored-trial.js'
import { predictionOf } from './scored-trial.js'

/** The fewest annotators that the test is defined for. */
const fewestAnnotators = 3

type Rating = string | number
type Ratings = Readonly<Record<string, Rating>>

/** The alternative annotator test over what people said of the items; `null`: fewer than three people did. No label is needed. */
export function annotatorReport(
  trials: readonly CalibratedTrial[],
  classes: LabelClasses,
  settings: ReportSettings,
): AnnotatorReport | null {
  const annotators = annotatorRatings(trials, classes, settings)
  if (Object.keys(annotators).length < fewestAnnotators) return null
  const judge = judgeRatings(trials, classes, settings)
  const { epsilon, q, minimumItems } = settings.altTest
  const scoring = settings.numeric === null ? 'accuracy' : 'rmse'
  const tested = (rated: Ratings) => altTest({ annotators, judge: rated, epsilon, q, minimumItems, scoring })
  return { ...tested(judge), q, minimumItems, constant: constantOf(annotators, judge, tested) }
}

function annotatorRatings(
  trials: readonly CalibratedTrial[],
  classes: LabelClasses,
  { numeric }: ReportSettings,
): Readonly<Record<string, Ratings>> {
  const annotators = new Map<string, Map<string, Rating>>()
  for (const { item, facts } of trials) {
    for (const [name, rating] of Object.entries(facts.annotators ?? {})) {
      const ratings = annotators.get(name) ?? new Map<string, Rating>()
      annotators.set(name, ratings)
      const value = numeric === null ? classes.ofLabel(String(rating)) : asRated(rating)
      if (value !== null) ratings.set(item.itemId, value)
    }
  }
  return Object.fromEntries([...annotators].map(([name, ratings]) => [name, Object.fromEntries(ratings)]))
}

/** Numbers are compared as they were rated: on another scale the same distances may differ in their last digit. */
function asRated(rating: Rating): number | null {
  const value = typeof rating === 'string' && rating.trim() === '' ? Number.NaN : Number(rating)
  return Number.isFinite(value) ? value : null
}

/** The first repetition that decided speaks for the candidate, as each person spoke once. */
function judgeRatings(trials: readonly CalibratedTrial[], classes: LabelClasses, settings: ReportSettings): Ratings {
  const { numeric } = settings
  const judge = new Map<string, Rating>()
  for (const trial of trials) {
    const { itemId } = trial.item
    const said = judge.has(itemId) ? null : predictionOf(trial, settings)
    if (said === null) continue
    judge.set(itemId, numeric === null ? classes.of(said) : numeric.min + Number(said) * (numeric.max - numeric.min))
  }
  return Object.fromEntries(judge)
}

/** What a judge gets that says of every item what annotators say most often: numbers have a mean instead. */
function constantOf(
  annotators: Readonly<Record<string, Ratings>>,
  judge: Ratings,
  tested: (rated: Ratings) => Pick<AnnotatorReport, 'winningRate' | 'averageAdvantage' | 'passes'>,
): AnnotatorReport['constant'] {
  const ratings = Object.values(annotators).flatMap((one) => Object.values(one))
  const numbers = ratings.filter((rating) => typeof rating === 'number')
  const constant = numbers.length > 0 ? meanOf(numbers) : mostFrequent(ratings)
  if (constant === null) return null
  const { winningRate, averageAdvantage, passes } = tested(
    Object.fromEntries(Object.keys(judge).map((itemId) => [itemId, constant])),
  )
  const label = typeof constant === 'number' ? three(constant) : constant
  return { label, winningRate, averageAdvantage, passes }
}

/** The first of equally frequent ones in the order of the alphabet, whatever the order of items is. */
function mostFrequent(ratings: readonly Rating[]): Rating | null {
  const counts = new Map<Rating, number>()
  for (const rating of ratings) counts.set(rating, (counts.get(rating) ?? 0) + 1)
  const sorted = [...counts].sort(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1))
  return sorted[0]?.[0] ?? null
}
