import { basename } from 'node:path'
import type { CalibrateOptions } from '@jurist/experiment/calibrate'
import { isDatasetPath } from '@jurist/experiment/internal'
import type { CalibrateJudgesOptions, CascadeWithItems } from '../config/config.js'
import type { LoadedConfig } from '../config/load-config.js'
import { calledFunction, configInvalid, unknownAmong, usageInvalid } from '../config/problems.js'
import { datasetFrom } from './configured-experiment.js'

/** The calibration of a cascade, with its name. */
export type ConfiguredCascade = CascadeWithItems & { readonly name: string }

/** A calibration of the config, with its name: of one judge, of several, or of the tiers of a cascade. */
export type ConfiguredCalibration = CalibrateOptions | CalibrateJudgesOptions | ConfiguredCascade

/**
 * The configured calibration of this name; without a name, the only one.
 *
 * @throws `usage-invalid` for a name that the config does not have, `config-invalid`
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
  const options = typeof entry === 'function' ? await calledFunction(entry, loaded.file, `calibrations.${name}`) : entry
  if (options.name !== undefined && options.name !== name)
    throw configInvalid(loaded.file, [
      {
        path: `calibrations.${name}.name`,
        problem: `is "${options.name}".`,
        remedy: 'Remove "name": the key is the name.',
      },
    ])
  const { items } = options
  return { ...options, name, ...(isDatasetPath(items) ? { items: datasetFrom(items, loaded.directory) } : {}) }
}
