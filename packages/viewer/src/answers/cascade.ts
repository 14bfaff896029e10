import { cascadeCalibrationOf } from '@jurist/experiment/certify'
import { type CascadeDisagreement, certificationSections, isCascadeCalibration } from '@jurist/experiment/internal'
import { resultWithItems } from '@jurist/experiment/internal/results'
import type { ExperimentResult } from '@jurist/experiment/result'
import type { CalibrationDocument, Disagreement } from './calibration.js'
import type { RunReader } from './run-reader.js'

/** The calibration of a cascade; `undefined` for another run. */
export async function cascadeDocument(
  run: ExperimentResult,
  reader: RunReader,
): Promise<CalibrationDocument | undefined> {
  if (!isCascadeCalibration(run)) return undefined
  const calibration = await cascadeCalibrationOf(run, otherCascades(run, reader))
  const { certificate, curve, bound, notes } = calibration
  const points = curve.filter(({ decided }) => decided > 0)
  const disagreements = calibration.disagreements.map((one) => disagreementOf(run, one))
  return {
    report: null,
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

function disagreementOf(
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
