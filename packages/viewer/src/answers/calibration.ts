import { type CalibrationReport, calibrationOf } from '@jurist/experiment/calibrate'
import { decidingReason } from '@jurist/experiment/internal/results'
import type { ExperimentResult } from '@jurist/experiment/result'

/** A judge compared with labels, and the first 500 trials on which they differ. */
export interface CalibrationDocument {
  readonly report: CalibrationReport
  readonly disagreements: readonly Disagreement[]
  readonly totalDisagreements: number
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
