import { type CalibrationReport, calibrationOf } from '@jurist/experiment/calibrate'
import { decidingReason } from '@jurist/experiment/internal/results'
import type { ExperimentResult } from '@jurist/experiment/result'
import { type CascadeDocument, cascadeDocument } from './cascade.js'
import type { RunReader } from './run-reader.js'

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

/** The calibration that a run is; `undefined` if the run is not a calibration. */
export async function calibrationDocument(
  run: ExperimentResult,
  reader: RunReader,
): Promise<CalibrationDocument | undefined> {
  if (run.kind !== 'judge') return undefined
  const ofCascade = await cascadeDocument(run, reader)
  if (ofCascade !== undefined) return ofCascade
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
