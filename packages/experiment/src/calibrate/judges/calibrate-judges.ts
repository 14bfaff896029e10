import { calibrate } from '../calibrate.js'
import type { CalibrationResult } from '../calibration.js'
import type { JudgesCalibration } from './judges-calibration.js'
import { judgesCalibration } from './judges-of.js'
import { type CalibrateJudgesOptions, plannedJudges } from './planned-judges.js'

/**
 * Calibrates several judges on the same items, one after the other, and sets them side by side: one table of agreement, kappa,
 * flips and price, and every two of them by McNemar's exact test with Holm's correction. Each judge is a stored run of its own,
 * `name.judge`. Where items keep what judges said with two places exchanged (`metadata.saidSwapped`), that is asked too.
 *
 * @throws what `calibrate` throws, and `option-invalid` where there are no judges
 *
 * @example
 * // Rows such as {"id":"1","task":"…","label":"pass","said":{"gpt4":"pass","palm2":"fail"}}
 * const { table, comparisons } = await calibrateJudges({ name: 'pairs', items: 'pairs.jsonl' })
 */
export async function calibrateJudges(options: CalibrateJudgesOptions): Promise<JudgesCalibration> {
  const { name, calibrations } = await plannedJudges(options)
  const made: [string, CalibrationResult][] = []
  for (const calibration of calibrations) {
    if (options.signal?.aborted === true && made.length > 0) break
    made.push([calibration.candidateName ?? calibration.name, await calibrate(calibration)])
  }
  return judgesCalibration(name, Object.fromEntries(made))
}
