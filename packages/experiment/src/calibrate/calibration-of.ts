import { JuristError } from '@jurist/core'
import type { ExperimentResult } from '../result/records.js'
import type { ReportOptions } from './calibrate-options.js'
import type { CalibrationResult, JudgeDisagreement } from './calibration.js'
import { calibrationReport } from './report/calibration-report.js'
import { reportSettings } from './report/report-settings.js'

/**
 * The calibration that a stored run is: everything is computed again from its trials, nothing is judged.
 *
 * @param options what counts in place of the options that the run was made with; `resamples: 0` leaves the bootstrap out
 * @param options.correct another run that the candidate judged: what its pass rate stands for, in `report.correctedPassRate`
 * @throws `option-invalid` when the run is not of kind `judge`, and when `correct` has trials of it or was not judged by the
 * candidate
 *
 * @example
 * const run = await store.mostRecent('strict', { kind: 'judge' })
 * if (run !== undefined) console.log(calibrationOf(run).report.confusion)
 */
export function calibrationOf(
  result: ExperimentResult,
  { correct, ...options }: ReportOptions & { readonly correct?: ExperimentResult } = {},
): CalibrationResult {
  if (result.kind !== 'judge')
    throw new JuristError(
      'option-invalid',
      `calibrationOf: the run ${result.id} is of kind ${result.kind}. Give a run that calibrate stored, of kind judge.`,
      { option: 'result' },
    )
  const report = calibrationReport(result, reportSettings(result, options), correct)
  return { result, agreementRate: report.agreement.value, disagreements: disagreementsOf(result), report }
}

function disagreementsOf({ items }: ExperimentResult): readonly JudgeDisagreement[] {
  return items.flatMap(({ itemId, repetition, detail }) =>
    detail?.kind === 'judge' && detail.scorer.scored && !detail.scorer.match ? { itemId, repetition, detail } : [],
  )
}
