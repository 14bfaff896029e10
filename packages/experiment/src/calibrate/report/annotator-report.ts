import { type AltTestResult, altTest } from '../../result/statistics/alt-test.js'
import type { LabelClasses } from './label-classes.js'
import type { ReportSettings } from './report-settings.js'
import type { CalibratedTrial } from './scored-trial.js'

const fewestAnnotators = 3

type Rating = string | number

/** The alternative annotator test over what people said of the items; `null`: fewer than three people did. */
export function annotatorReport(
  trials: readonly CalibratedTrial[],
  classes: LabelClasses,
  { numeric }: Pick<ReportSettings, 'numeric'>,
): AltTestResult | null {
  const annotators = new Map<string, Map<string, Rating>>()
  const judge = new Map<string, Rating>()
  for (const { item, facts, scored } of trials) {
    for (const [name, rating] of Object.entries(facts.annotators ?? {})) {
      const ratings = annotators.get(name) ?? new Map<string, Rating>()
      annotators.set(name, ratings)
      const value = numeric === null ? classes.ofLabel(String(rating)) : scaled(rating, numeric)
      if (value !== null) ratings.set(item.itemId, value)
    }
    // The first repetition speaks for the candidate, as each person spoke once.
    if (scored === null || judge.has(item.itemId)) continue
    judge.set(item.itemId, numeric === null ? scored.predictedClass : Number(scored.predicted))
  }
  if (annotators.size < fewestAnnotators) return null
  return altTest({
    annotators: Object.fromEntries([...annotators].map(([name, ratings]) => [name, Object.fromEntries(ratings)])),
    judge: Object.fromEntries(judge),
    scoring: numeric === null ? 'accuracy' : 'rmse',
  })
}

function scaled(rating: Rating, { min, max }: NonNullable<ReportSettings['numeric']>): number | null {
  const value = (Number(rating) - min) / (max - min)
  return Number.isFinite(value) ? value : null
}
