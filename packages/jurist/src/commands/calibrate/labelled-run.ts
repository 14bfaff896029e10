import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Judge, Jury } from '@jurist/core'
import type { RunCalibration } from '@jurist/experiment/internal'
import { refuseMissingKeys } from '@jurist/experiment/internal/config'
import { counted, resultWithItems } from '@jurist/experiment/internal/results'
import type { Label } from '@jurist/experiment/label'
import { type FlagValues, flag, text, usageInvalid } from '@jurist/experiment/plugin'
import { type RejudgeContext, storedContext } from '@jurist/experiment/rejudge'
import type { ExperimentResult } from '@jurist/experiment/result'
import { commandLine } from '@jurist/kit/command-line'
import { findRun, resultsHolding } from '../../command-kit/find-run.js'
import { type Host, interruptible } from '../../command-kit/host.js'
import type { Asking } from '../../command-kit/judge-cache.js'
import type { Results } from '../../command-kit/results-store.js'
import { workspacesFlag } from '../../command-kit/selection.js'
import { defined } from '../../command-kit/subcommand.js'
import type { LoadedConfig } from '../../config/load-config.js'
import { unknownAmong } from '../../config/problems.js'
import { experimentOf, judgesOfItems } from '../rejudge.js'

export const labelledRunFlags = {
  labels: flag('--labels <file>', 'with --run: labels as .jsonl or .csv (default: those beside the run)', text),
  workspaces: { ...workspacesFlag, help: `with --run: ${workspacesFlag.help}` },
} as const

/** Refuses these flags without `--run`. */
export function checkLabelledRun(
  { run, labels, workspaces }: FlagValues<typeof labelledRunFlags> & { readonly run: string | undefined },
  problem: (flag: string, message: string) => void,
): void {
  if (run !== undefined) return
  if (labels !== undefined) problem('--labels', '--labels needs --run <run>, the run whose trials were labelled.')
  if (workspaces !== 'copy') problem('--workspaces', '--workspaces needs --run <run>, the run whose trials are judged.')
}

/** A stored run with the labels of its trials. */
export interface LabelledRun {
  readonly run: ExperimentResult
  /** The lines of the file. */
  readonly labels: readonly Label[]
  /** Opens the stored trials in the same way as `jurist rejudge`. */
  readonly context: (loaded: LoadedConfig) => Promise<RejudgeContext>
}

/**
 * Finds a run with its labels, in a file or next to the run.
 *
 * @throws `usage-invalid` if the run or its labels do not exist, `label-file-invalid`
 */
export async function labelledRunOf(
  host: Host,
  own: Results,
  { run: name, labels: file, workspaces }: FlagValues<typeof labelledRunFlags> & { readonly run: string },
): Promise<LabelledRun> {
  const results = await resultsHolding(own, name, host.cwd)
  const run = await resultWithItems(await findRun(results, name, host.cwd, ['agent']))
  const labels = await labelsOf(host, results, run, file)
  return { run, labels, context: (loaded) => contextOf(loaded, run, { results, workspaces }) }
}

async function labelsOf(
  host: Host,
  results: Results,
  run: ExperimentResult,
  file: string | undefined,
): Promise<readonly Label[]> {
  const { id } = run
  const { labelFile, labelsBeside } = await import('../label/label-pass.js')
  if (file !== undefined) {
    const path = resolve(host.cwd, file)
    if (existsSync(path)) return await labelFile(host.cwd, path).read()
    throw usageInvalid('--labels', `${path} does not exist. Make labels: ${commandLine('label', id)}`)
  }
  const labels = await labelsBeside(host, results, run).read()
  if (labels.length > 0) return labels
  throw usageInvalid(
    '--labels',
    `Run ${id} has no labels. Make some: ${commandLine('label', id)}, or name a file: --labels <file>`,
  )
}

async function contextOf(
  loaded: LoadedConfig,
  run: ExperimentResult,
  { results, workspaces }: { readonly results: Results } & Pick<FlagValues<typeof labelledRunFlags>, 'workspaces'>,
): Promise<RejudgeContext> {
  const { provision, datasetDirectory } = judgesOfItems(loaded, await experimentOf(loaded, run)) ?? {}
  const resultsDirectory = await results.filesOf(run)
  return storedContext(defined({ resultsDirectory, workspaces, provision, datasetDirectory }))
}

/** The settings of the flags for a calibration with the labels of a run. */
interface LabelledRunFlags extends Asking {
  readonly run: string
  readonly labels: string | undefined
  readonly workspaces: FlagValues<typeof labelledRunFlags>['workspaces']
  readonly judge: readonly string[]
  readonly concurrency: number | undefined
  readonly budget: number | undefined
}

/** The flags that `--run` combines with or excludes. */
interface RunFlags extends Omit<LabelledRunFlags, 'run'> {
  readonly all: boolean
  readonly run: string | undefined
  readonly from: string | undefined
  readonly against: string | undefined
  readonly correct: string | undefined
  readonly repeat: number | undefined
  readonly swap: boolean
}

/** Flags for the measurement of a judge on a dataset do not apply to a stored run. */
export function checkRunFlags(read: RunFlags, problem: (flag: string, message: string) => void, name?: string): void {
  checkLabelledRun(read, problem)
  const { run, all, judge, from, against, correct, repeat, swap } = read
  if (run === undefined) {
    if (all) problem('--all', '--all needs --run <run>, a run with labels.')
    if (judge.length > 0) problem('--judge', '--judge needs --run <run>, the run whose trials are judged again.')
    return
  }
  if ([from, against, correct, repeat].some((value) => value !== undefined) || swap)
    problem('--run', '--run measures the judges of a run. Remove --from, --against, --correct, --repeat and --swap.')
  if (name !== undefined)
    problem('--run', `--run measures the judges of a run. Remove "${name}", or name it with --judge.`)
}

/** Measures the judges of a stored run, and further named ones, against human labels. */
export async function labelledRun(host: Host, own: Results, read: LabelledRunFlags): Promise<RunCalibration> {
  const { judge, concurrency, budget: budgetUsd, labels: labelsFile, askThrough } = read
  const { run, labels, context } = await labelledRunOf(host, own, read)
  const loaded = judge.length === 0 ? undefined : await host.config()
  const judges = loaded === undefined ? {} : Object.fromEntries(judge.map((one) => [one, judgeNamed(loaded, one)]))
  refuseMissingKeys(Object.values(judges).map((jury) => ({ jury })))
  using interrupt = interruptible(host, () => 'Stopping: judging is being cancelled (press again to exit immediately).')
  const { calibrateRun } = await import('@jurist/experiment/label')
  for (const one of judge) host.note(`judging again by ${one}: ${counted(labels.length, 'label')}`)
  return await calibrateRun({
    ...{ run, labels, judges, store: own.store, signal: interrupt.signal },
    ...defined({ concurrency, budgetUsd, labelsFile, askThrough, context: loaded && (await context(loaded)) }),
  })
}

/** A jury of the config, or the candidate of a calibration. */
function judgeNamed({ config }: LoadedConfig, name: string): Judge | Jury {
  const { juries = {}, calibrations = {} } = config
  const candidates = Object.entries(calibrations).flatMap(([key, entry]) =>
    typeof entry === 'object' && 'candidate' in entry && entry.candidate !== undefined
      ? [[key, entry.candidate] as const]
      : [],
  )
  const found = new Map<string, Judge | Jury>([...candidates, ...Object.entries(juries)])
  const judge = found.get(name)
  if (judge !== undefined) return judge
  throw usageInvalid(
    '--judge',
    `The config has no jury and no calibration with a candidate called "${name}".${unknownAmong(name, [...found.keys()])}`,
  )
}

/** The JSON document contains the table, the people, the reading list, and the report of each judge. */
export function labelledRunDocument({ calibrations, ...rest }: RunCalibration): object {
  const judges = Object.entries(calibrations).map(([judge, { agreementRate, report }]) => {
    return [judge, { agreementRate, report }] as const
  })
  return { ...rest, judges: Object.fromEntries(judges) }
}
