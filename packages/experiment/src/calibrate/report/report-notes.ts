import type { CalibrationReport } from '../calibration.js'
import { annotatorNotes } from './annotator-notes.js'
import { judgingNotes } from './judging-notes.js'
import { juryNotes } from './jury-notes.js'

const fewTrials = 30
const smallClass = 5
const highAgreement = 0.9
const lowKappa = 0.4
const goodCoverage = 0.95

/** What a reader of a report should know. */
export function reportNotes(report: Omit<CalibrationReport, 'notes'>): readonly string[] {
  return [
    ...(isUnlabelled(report) ? [] : [...sizeNotes(report), ...coverageNotes(report)]),
    ...judgingNotes(report),
    ...prevalenceNotes(report),
    ...juryNotes(report),
    ...annotatorNotes(report),
  ]
}

/** Whether no item has a label, and something is measured that needs none. */
function isUnlabelled({ counts, altTest, consistency }: Omit<CalibrationReport, 'notes'>): boolean {
  const needsNone = altTest !== null || consistency.repeats !== null || consistency.swap !== null
  return needsNone && counts.unscored['label-missing'] === counts.trials
}

function sizeNotes({ counts, perClass }: Omit<CalibrationReport, 'notes'>): readonly string[] {
  const small = Object.entries(perClass).filter(([, { support }]) => support > 0 && support < smallClass)
  return [
    ...(counts.scored < fewTrials
      ? [`${counts.scored} scored of the ${fewTrials} trials that figures need at least: every one is rough.`]
      : []),
    ...small.map(
      ([label, { support }]) =>
        `The label ${label} was expected in ${support} scored trials, of ${smallClass} at least: its figures are rough.`,
    ),
  ]
}

function prevalenceNotes({ agreement, kappa }: Omit<CalibrationReport, 'notes'>): readonly string[] {
  if (agreement.value === null || kappa.value === null) return []
  return agreement.value >= highAgreement && kappa.value < lowKappa
    ? ['Agreement is high but kappa is low: nearly all labels are of one class. Look at AC1 and at the rarer class.']
    : []
}

function coverageNotes({ coverage, counts }: Omit<CalibrationReport, 'notes'>): readonly string[] {
  if (coverage === null || coverage >= goodCoverage) return []
  return [`${counts.trials - counts.scored} of ${counts.trials} trials were not scored, and are in no rate.`]
}
