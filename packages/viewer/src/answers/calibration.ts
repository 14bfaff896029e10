import { type CalibrationReport, calibrationOf } from '@jurist/experiment/calibrate'
import type { Section } from '@jurist/experiment/internal'
import { decidingReason } from '@jurist/experiment/internal/results'
import type { ExperimentResult } from '@jurist/experiment/result'

/** A judge or a cascade compared with labels, and the first 500 trials on which they differ. */
export interface CalibrationDocument {
  /** `null`: a cascade was calibrated. */
  readonly report: CalibrationReport | null
  /** `null`: a judge was calibrated. */
  readonly cascade: CascadeDocument | null
  readonly notes: readonly string[]
  readonly disagreements: readonly Disagreement[]
  readonly totalDisagreements: number
}

/** A cascade compared with labels. */
export interface CascadeDocument {
  /** The allowed risk. */
  readonly alpha: number
  /** The certified threshold; `null`: nothing is certified. */
  readonly threshold: number | null
  /** Thresholds that decide something, the strictest first. */
  readonly points: readonly RiskPoint[]
  /** What is certified, who decides, and the tests. */
  readonly sections: readonly Section[]
}

/** What one threshold leads to on the labelled items. */
interface RiskPoint {
  readonly threshold: number
  /** The share of the items that is decided. */
  readonly coverage: number
  /** The share of the counted decisions that is against the label. */
  readonly risk: number
  /** Its exact upper bound. */
  readonly upper: number
}

/** A trial on which the judge and the label differ. */
export interface Disagreement {
  readonly itemId: string
  readonly repetition: number
  readonly expected: string
  readonly predicted: string
  readonly reasoning: string
  readonly task: string
}

const maxDisagreements = 500

/** The calibration report of a run; `undefined` if the run is not a calibration. */
export function calibrationDocument(run: ExperimentResult): CalibrationDocument | undefined {
  if (run.kind !== 'judge') return undefined
  const { report } = calibrationOf(run)
  const disagreements = run.items.flatMap(disagreementOf)
  return {
    report,
    cascade: null,
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
