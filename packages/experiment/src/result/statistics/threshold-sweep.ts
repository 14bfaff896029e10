import { checkValues, statisticInvalid } from './invalid.js'
import { shuffled } from './random.js'

/** A score, and whether the scored item is positive. */
export interface ScoredOutcome {
  readonly score: number
  readonly positive: boolean
}

/**
 * How likely a positive has a higher score than a negative, equal scores counting half: the area under the ROC curve (Hanley
 * and McNeil 1982), by average ranks.
 *
 * @returns between 0 and 1, 0.5 by chance; `null` without a positive or without a negative
 * @throws `statistic-invalid` for scores that are not finite
 */
export function auroc(outcomes: readonly ScoredOutcome[]): number | null {
  checkScores('auroc', outcomes)
  const sorted = [...outcomes].sort((one, other) => one.score - other.score)
  let [positives, ranks] = [0, 0]
  for (let start = 0; start < sorted.length; ) {
    let [end, among] = [start, 0]
    while (end < sorted.length && sorted[end]?.score === sorted[start]?.score) {
      among += Number(sorted[end]?.positive)
      end += 1
    }
    positives += among
    ranks += (among * (start + end + 1)) / 2
    start = end
  }
  const pairs = positives * (sorted.length - positives)
  return pairs === 0 ? null : (ranks - (positives * (positives + 1)) / 2) / pairs
}

/**
 * The mean squared distance between scores, taken for probabilities of being positive, and what is so (Brier 1950): 0 is
 * perfect, 0.25 what always 0.5 gets.
 *
 * @returns `null` of nothing
 * @throws `statistic-invalid` for scores outside [0, 1]
 */
export function brierScore(outcomes: readonly ScoredOutcome[]): number | null {
  checkScores('brierScore', outcomes)
  const outside = outcomes.find(({ score }) => score < 0 || score > 1)
  if (outside !== undefined) statisticInvalid('brierScore', `a score must lie in 0 to 1, not ${outside.score}`)
  if (outcomes.length === 0) return null
  return outcomes.reduce((sum, { score, positive }) => sum + (score - Number(positive)) ** 2, 0) / outcomes.length
}

function checkScores(statistic: string, outcomes: readonly ScoredOutcome[]): void {
  checkValues(
    statistic,
    outcomes.map(({ score }) => score),
  )
}

/** The counts when scores of at least `threshold` are positive. */
export interface ThresholdRow {
  readonly threshold: number
  readonly accuracy: number
  /** Cohen's kappa; `null`: not defined. */
  readonly kappa: number | null
  /** The share of positives that are found; `null` without one. */
  readonly sensitivity: number | null
  /** The share of negatives that are found; `null` without one. */
  readonly specificity: number | null
}

/** Every threshold that changes a decision, and the quality of the best one on data that it was not chosen by. */
export interface ThresholdSweep {
  /** By threshold, rising; at most 101 of them, evenly chosen. */
  readonly rows: readonly ThresholdRow[]
  /** The threshold with the highest kappa, the lowest of equals. */
  readonly best: ThresholdRow
  /** The thresholds chosen on the other folds, each applied to its own: an estimate for new items. */
  readonly crossValidated: { readonly folds: number; readonly accuracy: number; readonly kappa: number | null } | null
}

/** A scored outcome of a unit: outcomes of one unit stay in one fold. */
export interface UnitOutcome extends ScoredOutcome {
  readonly unit?: string
}

/**
 * The result of each threshold of a score, and the best threshold by Cohen's kappa. The best one looks better than it is
 * on the data that it was chosen by: it is chosen again without each fold and applied to that fold (Stone 1974, Journal
 * of the Royal Statistical Society B 36:111).
 *
 * @param options.folds default 10, or the number of units if there are fewer
 * @param options.seed decides which units go to which fold. Default 1
 * @returns `null` without a positive or without a negative
 * @throws `statistic-invalid` for scores that are not finite, and options out of range
 */
export function thresholdSweep(
  outcomes: readonly UnitOutcome[],
  { folds = 10, seed = 1 }: { readonly folds?: number; readonly seed?: number } = {},
): ThresholdSweep | null {
  checkScores('thresholdSweep', outcomes)
  if (!Number.isSafeInteger(folds) || folds < 2)
    statisticInvalid('thresholdSweep', `folds must be a whole number of at least 2, not ${folds}`)
  if (!Number.isSafeInteger(seed)) statisticInvalid('thresholdSweep', `seed must be a whole number, not ${seed}`)
  const all = rowsOf(outcomes)
  const best = bestOf(all)
  if (best === null) return null
  return { rows: thinned(all), best, crossValidated: crossValidated(outcomes, folds, seed) }
}

const mostRows = 101

function thinned(rows: readonly ThresholdRow[]): readonly ThresholdRow[] {
  if (rows.length <= mostRows) return rows
  const places = Array.from({ length: mostRows }, (_, index) =>
    Math.round((index * (rows.length - 1)) / (mostRows - 1)),
  )
  return places.flatMap((place) => rows[place] ?? [])
}

/** One row for each different score; none without a positive or without a negative. */
function rowsOf(outcomes: readonly ScoredOutcome[]): readonly ThresholdRow[] {
  const sorted = [...outcomes].sort((one, other) => other.score - one.score)
  const positives = sorted.filter(({ positive }) => positive).length
  const negatives = sorted.length - positives
  if (positives === 0 || negatives === 0) return []
  const rows: ThresholdRow[] = []
  let [hits, alarms] = [0, 0]
  for (const [index, { score, positive }] of sorted.entries()) {
    if (positive) hits += 1
    else alarms += 1
    if (sorted[index + 1]?.score !== score)
      rows.push(rowOf(score, [hits, alarms, positives - hits, negatives - alarms]))
  }
  return rows.reverse()
}

/** Hits, false alarms, misses, and negatives that are found. */
type Table = readonly [hits: number, alarms: number, misses: number, found: number]

function rowOf(threshold: number, table: Table): ThresholdRow {
  const [hits, alarms, misses, found] = table
  return {
    threshold,
    accuracy: (hits + found) / (hits + alarms + misses + found),
    kappa: kappaOf(table),
    sensitivity: hits + misses === 0 ? null : hits / (hits + misses),
    specificity: alarms + found === 0 ? null : found / (alarms + found),
  }
}

/** Cohen's kappa of two classes, without its own table for each of many thresholds. */
function kappaOf([hits, alarms, misses, found]: Table): number | null {
  const n = hits + alarms + misses + found
  const chance = ((hits + alarms) * (hits + misses) + (misses + found) * (alarms + found)) / n ** 2
  return chance >= 1 ? null : ((hits + found) / n - chance) / (1 - chance)
}

function bestOf(rows: readonly ThresholdRow[]): ThresholdRow | null {
  return rows.reduce<ThresholdRow | null>(
    (best, row) => (best === null || (row.kappa ?? -1) > (best.kappa ?? -1) ? row : best),
    null,
  )
}

function crossValidated(
  outcomes: readonly UnitOutcome[],
  wanted: number,
  seed: number,
): ThresholdSweep['crossValidated'] {
  const unitOf = ({ unit }: UnitOutcome, index: number) => unit ?? `#${index}`
  const units = shuffled([...new Set(outcomes.map(unitOf))], seed)
  const folds = Math.min(wanted, units.length)
  if (folds < 2) return null
  const foldOf = new Map(units.map((unit, index) => [unit, index % folds]))
  const table: [number, number, number, number] = [0, 0, 0, 0]
  for (let fold = 0; fold < folds; fold += 1) {
    const isHeldOut = (outcome: UnitOutcome, index: number) => foldOf.get(unitOf(outcome, index)) === fold
    const best = bestOf(rowsOf(outcomes.filter((outcome, index) => !isHeldOut(outcome, index))))
    if (best === null) return null
    for (const { score, positive } of outcomes.filter(isHeldOut)) {
      const place = score >= best.threshold ? (positive ? 0 : 1) : positive ? 2 : 3
      table[place] += 1
    }
  }
  const { accuracy, kappa } = rowOf(0, table)
  return { folds, accuracy, kappa }
}
