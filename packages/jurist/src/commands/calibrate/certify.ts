import type { Judge } from '@jurist/core'
import type { CascadeCalibration } from '@jurist/experiment/certify'
import { renewCertificates } from '@jurist/experiment/internal'
import { refuseMissingKeys } from '@jurist/experiment/internal/config'
import { type ExitCode, type FlagValues, flag, oneOf, toggle, usageInvalid } from '@jurist/experiment/plugin'
import { calibrationReport } from '@jurist/experiment/report'
import { commandLine } from '@jurist/kit/command-line'
import { checkOutputFile, writeOutput } from '../../command-kit/files.js'
import { ended, type Host, interruptible } from '../../command-kit/host.js'
import { judgeCache } from '../../command-kit/judge-cache.js'
import { printReport, type ReportPlace, type reportFlags, writeReport } from '../../command-kit/report-formats.js'
import { type Results, resultsOf } from '../../command-kit/results-store.js'
import { defined, fileEndingIn, grouped, rate } from '../../command-kit/subcommand.js'
import { type ConfiguredCascade, configuredCalibration } from './calibrations.js'
import { type LabelledRun, type labelledRunFlags, labelledRunOf } from './labelled-run.js'

const risks = ['disagreement', 'false-pass', 'false-fail'] as const

/** The flags of `jurist calibrate --certify` alone. */
export const certifyFlags = grouped('Certify a cascade', {
  certify: toggle('--certify', 'certify how often a calibration with tiers may decide wrongly'),
  alpha: flag('--alpha <rate>', 'the allowed share of wrong decisions (default: 0.15)', rate),
  delta: flag('--delta <rate>', 'the allowed chance that the bound does not hold (default: 0.1)', rate),
  risk: flag('--risk <risk>', `what counts as wrong: ${risks.join(', ')} (default: disagreement)`, oneOf(risks)),
  certificate: flag('--certificate <file>', 'write the certificate to this file', fileEndingIn('.json')),
})

interface CertifyFlags extends Omit<FlagValues<typeof certifyFlags>, 'certify'>, FlagValues<typeof labelledRunFlags> {
  readonly run: string | undefined
  readonly budget: number | undefined
  readonly concurrency: number | undefined
  readonly cache: boolean
  readonly format: FlagValues<typeof reportFlags>['format']
  readonly output: FlagValues<typeof reportFlags>['output']
}

/** Certifies the cascade of a calibration with tiers. */
export async function certify(host: Host, name: string | undefined, read: CertifyFlags): Promise<ExitCode> {
  if (read.certificate !== undefined) await checkOutputFile(host, '--certificate', read.certificate)
  // A config with a stale certificate must load, so that a new one can be made.
  using _renewing = renewCertificates()
  const options = await cascadeOptions(host, name, read)
  const results = await resultsOf(host)
  const labelled = read.run === undefined ? undefined : await labelledRunOf(host, results, { ...read, run: read.run })
  using answers = await judgeCache(host, read.cache)
  const calibration = await certified(host, results, { ...options, ...answers.asking }, labelled)
  const isWritten = await report(host, calibration, read)
  return await concluded(host, calibration, read, isWritten)
}

/** Applies the flags to the configured calibration. */
async function cascadeOptions(
  host: Host,
  name: string | undefined,
  { alpha, delta, risk, budget, concurrency }: CertifyFlags,
): Promise<ConfiguredCascade> {
  const options = await configuredCalibration(await host.config(), name)
  if (!('tiers' in options))
    throw usageInvalid(
      'calibration',
      `The calibration "${options.name}" has no tiers. Add "tiers", or measure the judge: ${commandLine('calibrate', options.name)}`,
    )
  return { ...options, ...defined({ alpha, delta, risk, concurrency, budgetUsd: budget }) }
}

async function certified(
  host: Host,
  { store }: Results,
  options: ConfiguredCascade,
  labelled: LabelledRun | undefined,
): Promise<CascadeCalibration> {
  refuseMissingKeys(options.tiers.map(({ candidate }) => ({ jury: candidate as Judge })))
  const { calibrateCascade: onItems, calibrateCascadeOnRun: onRun } = await import('@jurist/experiment/certify')
  using interrupt = interruptible(host, () => 'Stopping: judging is being cancelled (press again to exit immediately).')
  const given = { ...options, store, signal: interrupt.signal }
  if (labelled !== undefined) {
    // These options concern items of a dataset.
    const { items, input, expected, datasetVersion, labels, ...tested } = given
    const context = await labelled.context(await host.config())
    return await onRun({ ...tested, ...labelled, context, ...defined({ by: labels?.by }) })
  }
  const { items } = given
  if (items !== undefined) return await onItems({ ...given, items })
  throw usageInvalid(
    'calibration',
    `The calibration "${options.name}" has no items. Add "items", or use labelled trials of a run: --run latest`,
  )
}

/** Prints and writes the report. Returns whether it could be written. */
async function report(host: Host, calibration: CascadeCalibration, { format, output }: CertifyFlags): Promise<boolean> {
  const { result, ...rest } = calibration
  const printed = {
    document: { ...rest, run: result.id },
    text: (place: ReportPlace) => calibrationReport(calibration, place),
  }
  printReport(host, format, printed)
  return await writeReport(host, output, printed)
}

/** Writes the certificate and returns the exit code. */
async function concluded(
  host: Host,
  { certificate, result }: CascadeCalibration,
  { certificate: file }: CertifyFlags,
  isWritten: boolean,
): Promise<ExitCode> {
  if (certificate !== null && file !== undefined) {
    await writeOutput(host, file, `${JSON.stringify(certificate, null, 2)}\n`)
    host.note(`wrote ${file}`)
  } else if (file !== undefined) host.note(`${file} was not written: nothing is certified.`)
  return ended(host, result.status === 'interrupted' ? 130 : !isWritten ? 3 : certificate === null ? 1 : 0)
}
