import { basename } from 'node:path'
import {
  type CalibrateJudgesOptions,
  type CalibrateOptions,
  type CalibrationResult,
  calibrateJudges,
} from '@jurist/experiment/calibrate'
import { isDatasetPath, type JudgesCalibration, judgeComparisons } from '@jurist/experiment/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import { type ExperimentResult, pEquals, percent, score } from '@jurist/experiment/result'
import { configuredEntry, datasetFrom } from '../../command-kit/configured-experiment.js'
import type { Host } from '../../command-kit/host.js'
import type {
  CascadeWithItems,
  ConfiguredCalibration as ConfigEntry,
  NamedByKey,
  Thresholds,
} from '../../config/config.js'
import type { LoadedConfig } from '../../config/load-config.js'
import { unknownAmong } from '../../config/problems.js'

export type ConfiguredCascade = CascadeWithItems & { readonly name: string }

/** A calibration of the config with its name: of one judge, of several judges, or of the tiers of a cascade. */
type ConfiguredCalibration = CalibrateOptions | CalibrateJudgesOptions | ConfiguredCascade

/**
 * Returns the configured calibration with this name, or the only one without a name.
 *
 * @throws `usage-invalid` for a name that the config does not contain, `config-invalid`
 */
export async function configuredCalibration(
  loaded: LoadedConfig,
  given: string | undefined,
): Promise<ConfiguredCalibration> {
  const calibrations = loaded.config.calibrations ?? {}
  const known = Object.keys(calibrations)
  const file = basename(loaded.file)
  const name = given ?? (known.length === 1 ? known[0] : undefined)
  if (name === undefined)
    throw usageInvalid(
      'calibration',
      known.length === 0
        ? `${file} has no calibration. Add one under "calibrations".`
        : `${file} has several calibrations. Name one: ${known.join(', ')}.`,
    )
  const entry = Object.hasOwn(calibrations, name) ? calibrations[name] : undefined
  if (entry === undefined)
    throw usageInvalid('calibration', `No calibration "${name}" in ${file}.${unknownAmong(name, known)}`)
  const options = await configuredEntry<ConfigEntry>(loaded.file, ['calibrations', name], entry)
  const { items } = options
  return { ...options, ...(isDatasetPath(items) ? { items: datasetFrom(items, loaded.directory) } : {}) }
}

/** A calibration of several judges has no candidate. */
export function areJudges(
  options: NamedByKey<CalibrateOptions> | NamedByKey<CalibrateJudgesOptions>,
): options is CalibrateJudgesOptions {
  return !('candidate' in options) || options.candidate === undefined
}

/** Calibrates several judges and prints the name of the current one. */
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

/** The JSON document contains the table, and the run and report of each judge. The trials stay in the store. */
export function judgesDocument({ name, table, comparisons, notes, calibrations }: JudgesCalibration): object {
  const judges = Object.entries(calibrations).map(([judge, { result, agreementRate, report }]) => {
    return [judge, { run: result.id, agreementRate, report }] as const
  })
  return { name, table, comparisons, notes, judges: Object.fromEntries(judges) }
}

/** Two judges on the same items. */
interface Duel {
  readonly run: string
  /** The number of items, or clusters of items, for which both have a score. */
  readonly pairs: number
  readonly onlyThis: number
  readonly onlyOther: number
  readonly pValue: number
}

/** Compares two stored calibrations item by item. Repetitions count once. */
export function duelOf(own: ExperimentResult, other: ExperimentResult): Duel {
  const [comparison] = judgeComparisons({ own: { result: own }, other: { result: other } })
  const { pairs = 0, onlyOne = 0, onlyOther = 0, pValue = 1 } = comparison ?? {}
  if (pairs === 0) throw usageInvalid('--against', `Run ${other.id} shares no scored trial with this calibration.`)
  return { run: other.id, pairs, onlyThis: onlyOne, onlyOther, pValue }
}

export function duelLine({ run, pairs, onlyThis, onlyOther, pValue }: Duel): string {
  const counts = `right more often: this judge ${onlyThis}, that one ${onlyOther}`
  return `  Against ${run}   ${pairs} items in common   ${counts}   ${pEquals(pValue)}  McNemar exact`
}

/** Formats the thresholds that a judge misses. */
export function missesOf({ report }: CalibrationResult, thresholds: Thresholds): readonly string[] {
  const { agreement, kappa, altTest, consistency } = report
  // The alternative annotator test, and the consistency of a judge with itself, need no label.
  const isMeasured = [agreement.value, altTest?.winningRate, consistency.repeats, consistency.swap].some(
    (figure) => figure !== null && figure !== undefined,
  )
  const below = (what: string, value: number | null, wanted: number | undefined, shown: (value: number) => string) =>
    wanted === undefined || (value !== null && value + 1e-9 >= wanted)
      ? []
      : [`${what} ${value === null ? 'unknown' : shown(value)}, ${shown(wanted)} wanted`]
  return [
    ...(isMeasured ? [] : ['nothing was scored']),
    ...below('agreement', agreement.value, thresholds.agreement, (value) => percent(value)),
    ...below("Cohen's kappa", kappa.value, thresholds.kappa, score),
  ]
}
