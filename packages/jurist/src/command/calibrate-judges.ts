import {
  type CalibrateJudgesOptions,
  type CalibrateOptions,
  calibrateJudges,
  type JudgesCalibration,
} from '@jurist/experiment/calibrate'
import type { NamedByKey } from '../config/config.js'
import type { Host } from './host.js'

/** Whether a calibration of a config is one of several judges: it names no candidate. */
export function areJudges(
  options: NamedByKey<CalibrateOptions> | NamedByKey<CalibrateJudgesOptions>,
): options is CalibrateJudgesOptions {
  return !('candidate' in options) || options.candidate === undefined
}

/** Calibrates every judge, and says which one is being asked. */
export async function measuredJudges(host: Host, options: CalibrateJudgesOptions): Promise<JudgesCalibration> {
  const { onEvent } = options
  return await calibrateJudges({
    ...options,
    onEvent: (event) => {
      if (event.type === 'experiment-start') host.note(`calibrating ${event.experimentName}: ${event.trials} trials`)
      return onEvent?.(event)
    },
  })
}

/** As data: the table, and of each judge its run and its report, whose trials stay in the store. */
export function judgesDocument({ name, table, comparisons, notes, calibrations }: JudgesCalibration): object {
  const judges = Object.entries(calibrations).map(([judge, { result, agreementRate, report }]) => {
    return [judge, { run: result.id, agreementRate, report }] as const
  })
  return { name, table, comparisons, notes, judges: Object.fromEntries(judges) }
}
