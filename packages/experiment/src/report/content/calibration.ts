import { right } from '@jurist/kit/terminal'
import type { CalibrationReport, CalibrationResult } from '../../calibrate/calibration.js'
import { counted, grouped, namedInterval, percent, three, unknown } from '../../result/amounts.js'
import { decidingReason } from '../../result/deciding-judge.js'
import type { Interval } from '../../result/summary.js'
import { trialText } from '../../result/trial-figures.js'
import { type ColumnOf, lineSection, type Section, valuesSection } from '../sections.js'
import {
  annotatorSection,
  consistencySection,
  correctedSection,
  jurySection,
  reliabilitySection,
  thresholdSection,
} from './calibration-parts.js'

const mostDisagreements = 50

/** A calibration in full: how often the candidate agrees, where it errs, how sure that is, and where it disagrees. */
export function calibrationSections({ result, report, disagreements }: CalibrationResult): readonly Section[] {
  return [
    { title: `Calibration ${result.experimentName} (${result.id})`, lines: headline(report) },
    ...agreementSection(report),
    ...correctedSection(report),
    ...thresholdSection(report),
    ...confusionSection(report),
    ...classSection(report),
    ...jurySection(report),
    ...consistencySection(report),
    ...annotatorSection(report),
    ...reliabilitySection(report),
    ...disagreementSection(disagreements, result),
    ...lineSection('Notes', report.notes),
  ]
}

function headline({ counts, coverage, agreement }: CalibrationReport): readonly string[] {
  const unscored = Object.entries(counts.unscored).filter(([, count]) => count > 0)
  const reasons = unscored.map(([why, count]) => `${why} ${grouped(count)}`).join(', ')
  return [
    `Agrees on ${grouped(counts.matches)} of ${counted(counts.scored, 'scored trial')}: ${percent(agreement.value)}${intervals(agreement)}.`,
    `Scored ${grouped(counts.scored)} of ${counted(counts.trials, 'trial')} over ${counted(counts.items, 'item')} (${percent(coverage)})${reasons === '' ? '' : `; not scored: ${reasons}`}.`,
  ]
}

function intervals({ wilson, bootstrap }: CalibrationReport['agreement']): string {
  const known = [wilson, bootstrap].filter((interval): interval is Interval => interval !== null)
  return known.map((interval) => `; ${namedInterval(interval)}`).join('')
}

/** Every measure of agreement that is defined, beyond what chance gives. */
function agreementSection(report: CalibrationReport): readonly Section[] {
  const { kappa, weightedKappa, krippendorffAlpha, scores } = report
  const measures: readonly (readonly [string, number | null, Interval | null])[] = [
    ["Cohen's kappa", kappa.value, kappa.interval],
    ...(weightedKappa === null
      ? []
      : ([
          ['Kappa, linear weights', weightedKappa.linear.value, weightedKappa.linear.interval],
          ['Kappa, quadratic weights', weightedKappa.quadratic.value, weightedKappa.quadratic.interval],
        ] as const)),
    ["Gwet's AC1", report.gwetAC1, report.intervals.gwetAC1],
    [`Krippendorff's alpha (${krippendorffAlpha.level})`, krippendorffAlpha.value, report.intervals.krippendorffAlpha],
    ["Matthews' correlation", report.mcc, report.intervals.mcc],
    ['Balanced accuracy', report.balancedAccuracy, report.intervals.balancedAccuracy],
    ['Passes that should fail', report.falsePassRate, null],
    ['Fails that should pass', report.falseFailRate, null],
    ['Mean absolute error', scores?.meanAbsoluteError ?? null, null],
    ['Bias (candidate less label)', scores?.bias ?? null, null],
    ["Pearson's r", scores?.pearson ?? null, null],
    ['Area under the ROC curve', report.discrimination?.auroc ?? null, null],
    ['Brier score', report.discrimination?.brier ?? null, null],
    ["Spearman's rho", scores?.spearman ?? null, null],
    ["Kendall's tau-b", scores?.kendallTauB ?? null, null],
  ]
  const known = measures.filter(([, value]) => value !== null)
  return valuesSection('Agreement', known, [
    ['Measure', ([name]) => name],
    [right('Value'), ([, value]) => three(value)],
    [right('Interval'), ([, , bounds]) => (bounds === null ? '' : `${three(bounds.low)} to ${three(bounds.high)}`)],
  ])
}

export function confusionSection({ confusion }: CalibrationReport, corner = 'Label \\ candidate'): readonly Section[] {
  const { labels, matrix, unscored } = confusion
  const isPartial = Object.values(unscored).some((count) => count > 0)
  const rows = labels.map((label, index) => ({ label, counts: matrix[index] ?? [], left: unscored[label] ?? 0 }))
  const columns: readonly ColumnOf<(typeof rows)[number]>[] = [
    [corner, ({ label }) => label],
    ...labels.map((label, index): ColumnOf<(typeof rows)[number]> => {
      return [right(label), ({ counts }) => grouped(counts[index] ?? 0)]
    }),
    [right('not scored'), ({ left }) => grouped(left)],
  ]
  return valuesSection('Confusion', rows, isPartial ? columns : columns.slice(0, -1))
}

function classSection({ perClass }: CalibrationReport): readonly Section[] {
  return valuesSection('Classes', Object.entries(perClass), [
    ['Class', ([label]) => label],
    [right('Support'), ([, { support }]) => grouped(support)],
    [right('Predicted'), ([, { predicted }]) => grouped(predicted)],
    [right('Precision'), ([, { precision }]) => three(precision)],
    [right('Recall'), ([, { recall }]) => three(recall)],
    [right('F1'), ([, { f1 }]) => three(f1)],
  ])
}

function disagreementSection(
  disagreements: CalibrationResult['disagreements'],
  { items }: CalibrationResult['result'],
): readonly Section[] {
  const verdicts = new Map(items.map((item) => [`${item.repetition} ${item.itemId}`, item.verdict]))
  return valuesSection(`Disagreements (${disagreements.length})`, disagreements.slice(0, mostDisagreements), [
    ['Trial', trialText],
    ['Label', ({ detail }) => detail.expectedLabel ?? unknown],
    ['Candidate', ({ detail: { scorer, judgment } }) => (scorer.scored ? scorer.predicted : judgment.status)],
    [
      'Reasoning',
      ({ itemId, repetition, detail }) => {
        const verdict = verdicts.get(`${repetition} ${itemId}`) ?? null
        return verdict === null ? detail.judgment.reasoning : decidingReason(verdict)
      },
    ],
  ])
}
