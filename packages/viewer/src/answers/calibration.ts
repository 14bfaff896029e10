import { type CalibrationReport, calibrationOf } from '@jurist/experiment/calibrate'
import { cascadeCalibrationOf } from '@jurist/experiment/certify'
import {
  type CascadeDisagreement,
  certificationSections,
  estimateLines,
  isCascadeCalibration,
  notesOnLabels,
  type Section,
} from '@jurist/experiment/internal'
import { decidingReason, errorSentences, juryFirst, resultWithItems } from '@jurist/experiment/internal/results'
import { calibrateRun, type Label } from '@jurist/experiment/label'
import type { ExperimentResult } from '@jurist/experiment/result'
import { commandLine } from '@jurist/kit/command-line'
import type { RunReader } from './run-reader.js'

/** A judge or a cascade compared with labels, and the first 500 trials on which they differ. */
export interface CalibrationDocument {
  /** `null` if a cascade was calibrated. */
  readonly report: CalibrationReport | null
  /** `null` if a judge was calibrated. */
  readonly cascade: CascadeDocument | null
  /** `null` unless people labelled trials of the run. */
  readonly labelled: LabelledDocument | null
  readonly notes: readonly string[]
  readonly disagreements: readonly Disagreement[]
  readonly totalDisagreements: number
}

/** The judges of a run against the labels of people. */
interface LabelledDocument {
  readonly annotators: readonly string[]
  readonly trials: number
  /** The trials that as many people pass as fail. */
  readonly undecided: number
  /** The true pass rate by labels and verdicts: first in a sentence. */
  readonly estimate: readonly string[]
  /** The errors of each judge, the jury first, and how rough the figures are. */
  readonly errors: readonly string[]
}

export interface CascadeDocument {
  /** The accepted risk. */
  readonly alpha: number
  /** The certified threshold; `null` if no threshold is certified. */
  readonly threshold: number | null
  /** Thresholds that decide something, the strictest first. */
  readonly points: readonly RiskPoint[]
  /** The certified bound, the tiers that decide, and the tests. */
  readonly sections: readonly Section[]
}

/** The effect of one threshold on the labelled items. */
interface RiskPoint {
  readonly threshold: number
  /** The share of the items that is decided. */
  readonly coverage: number
  /** The share of the counted decisions that contradict the label. */
  readonly risk: number
  /** The exact upper bound of the risk. */
  readonly upper: number
}

interface Disagreement {
  readonly itemId: string
  readonly repetition: number
  readonly expected: string
  readonly predicted: string
  readonly reasoning: string
  readonly task: string
}

const maxDisagreements = 500

/** Reads the calibration report of a run; `undefined` if the run is not a calibration. */
export function calibrationDocument(run: ExperimentResult): CalibrationDocument | undefined {
  if (run.kind !== 'judge') return undefined
  const { report } = calibrationOf(run)
  const disagreements = run.items.flatMap(disagreementOf)
  return {
    report,
    cascade: null,
    labelled: null,
    notes: report.notes,
    disagreements: disagreements.slice(0, maxDisagreements),
    totalDisagreements: disagreements.length,
  }
}

function disagreementOf({
  itemId,
  repetition,
  detail,
  task,
  verdict,
}: ExperimentResult['items'][number]): Disagreement[] {
  if (detail?.kind !== 'judge' || !detail.scorer.scored || detail.scorer.match) return []
  const { expected, predicted } = detail.scorer
  return [
    {
      itemId,
      repetition,
      expected,
      predicted,
      reasoning: verdict === null ? detail.judgment.reasoning : decidingReason(verdict),
      task,
    },
  ]
}

/** Measures the judges of a run against the labels of people; `undefined` without labels. */
export async function labelledDocument(
  run: ExperimentResult,
  labels: readonly Label[],
): Promise<CalibrationDocument | undefined> {
  if (labels.length === 0) return undefined
  const made = await calibrateRun({ run, labels })
  const { calibrations, people, disagreements, estimate } = made
  const [jury] = juryFirst(Object.entries(calibrations))
  const ofJury = disagreements.filter(({ judge }) => judge === jury?.[0])
  return {
    report: jury?.[1].report ?? null,
    cascade: null,
    labelled: {
      ...{ annotators: people.annotators, trials: people.trials, undecided: people.undecided },
      estimate: estimateLines(estimate, commandLine),
      errors: errorSentences(calibrations),
    },
    notes: notesOnLabels(made),
    disagreements: ofJury.slice(0, maxDisagreements).map(({ itemId, repetition, said, reason, task }) => {
      return {
        itemId,
        repetition,
        expected: said === 'pass' ? 'fail' : 'pass',
        predicted: said,
        reasoning: reason,
        task,
      }
    }),
    totalDisagreements: ofJury.length,
  }
}

/** Reads the calibration of a cascade; `undefined` for other runs. */
export async function cascadeDocument(
  run: ExperimentResult,
  reader: RunReader,
): Promise<CalibrationDocument | undefined> {
  if (!isCascadeCalibration(run)) return undefined
  const calibration = await cascadeCalibrationOf(run, otherCascades(run, reader))
  const { certificate, curve, bound, notes } = calibration
  const points = curve.filter(({ decided }) => decided > 0)
  const disagreements = calibration.disagreements.map((one) => cascadeDisagreement(run, one))
  return {
    report: null,
    labelled: null,
    cascade: {
      alpha: bound.alpha,
      threshold: certificate?.threshold ?? null,
      points: points.map(({ threshold, coverage, errors, decided, upper }) => {
        return { threshold, coverage, risk: errors / decided, upper }
      }),
      sections: certificationSections(calibration, 'Certificate'),
    },
    disagreements,
    totalDisagreements: disagreements.length,
    notes,
  }
}

async function* otherCascades(run: ExperimentResult, reader: RunReader): AsyncIterable<ExperimentResult> {
  for (const { id, kind } of await reader.entries()) {
    if (kind !== 'judge' || id === run.id) continue
    const other = await reader.run(id)
    if (other !== undefined && isCascadeCalibration(other)) yield await resultWithItems(other)
  }
}

function cascadeDisagreement(
  run: ExperimentResult,
  { itemId, tier, decision, confidence, reasoning }: CascadeDisagreement,
): Disagreement {
  return {
    itemId,
    repetition: 1,
    expected: decision === 'pass' ? 'fail' : 'pass',
    predicted: decision,
    reasoning: `${tier}, confidence ${confidence.toFixed(2)}: ${reasoning}`,
    task: run.items.find((item) => item.itemId === itemId)?.task ?? '',
  }
}
