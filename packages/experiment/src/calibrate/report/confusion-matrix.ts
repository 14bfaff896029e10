import type { ConfusionMatrix } from '../calibration.js'
import type { UnscoredReason } from '../scorer.js'
import type { LabelClasses } from './label-classes.js'
import type { CalibratedTrial } from './scored-trial.js'

/** Trials whose label was good, though nothing could be said about them. */
const labelled: ReadonlySet<UnscoredReason> = new Set(['abstained', 'candidate-error', 'no-measurement'])

/** The confusion matrix of scored trials, and by class the unscored ones that belong to it. */
export function confusionMatrix(trials: readonly CalibratedTrial[], classes: LabelClasses): ConfusionMatrix {
  const unscored = new Map<string, number>()
  const occurring = new Set<string>()
  for (const { scored, detail } of trials) {
    if (scored !== null) occurring.add(scored.expectedClass).add(scored.predictedClass)
    if (detail.scorer.scored || !labelled.has(detail.scorer.why) || detail.expectedLabel === null) continue
    const expected = classes.ofLabel(detail.expectedLabel)
    if (expected === null) continue
    occurring.add(expected)
    unscored.set(expected, (unscored.get(expected) ?? 0) + 1)
  }
  const { fixed } = classes
  const labels = [...(fixed ?? []), ...[...occurring].filter((label) => fixed?.includes(label) !== true).sort()]
  return {
    labels,
    matrix: counts(trials, labels),
    unscored: Object.fromEntries(labels.map((label) => [label, unscored.get(label) ?? 0])),
  }
}

function counts(trials: readonly CalibratedTrial[], labels: readonly string[]): readonly (readonly number[])[] {
  const places = new Map(labels.map((label, index) => [label, index]))
  const matrix = labels.map(() => labels.map(() => 0))
  for (const { scored } of trials) {
    if (scored === null) continue
    const row = matrix[places.get(scored.expectedClass) ?? -1]
    const column = places.get(scored.predictedClass) ?? -1
    if (row !== undefined) row[column] = (row[column] ?? 0) + 1
  }
  return matrix
}
