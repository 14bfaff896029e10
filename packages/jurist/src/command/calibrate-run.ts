import type { Judge, Jury } from '@jurist/core'
import { refuseMissingKeys } from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import type { RunCalibration } from '@jurist/experiment/label'
import type { LoadedConfig } from '../config/load-config.js'
import { unknownAmong, usageInvalid } from '../config/problems.js'
import { defined, type FlagValues } from './flags.js'
import type { Host } from './host.js'
import { checkLabelledRun, type labelledRunFlags, labelledRunOf } from './labelled-run.js'
import { interruptible } from './process-events.js'
import type { Results } from './results-store.js'

/** What the flags say of a calibration from the labels of a run. */
interface LabelledRunFlags {
  readonly run: string
  readonly labels: string | undefined
  readonly workspaces: FlagValues<typeof labelledRunFlags>['workspaces']
  readonly judge: readonly string[]
  readonly concurrency: number | undefined
  readonly budget: number | undefined
}

/** The flags that `--run` goes with, and those that it excludes. */
interface RunFlags extends Omit<LabelledRunFlags, 'run'> {
  readonly run: string | undefined
  readonly from: string | undefined
  readonly against: string | undefined
  readonly correct: string | undefined
  readonly repeat: number | undefined
  readonly swap: boolean
}

/** Flags that say how a judge is measured on a dataset say nothing of a stored run. */
export function checkRunFlags(read: RunFlags, problem: (flag: string, message: string) => void, name?: string): void {
  checkLabelledRun(read, problem)
  const { run, judge, from, against, correct, repeat, swap } = read
  if (run === undefined) {
    if (judge.length > 0) problem('--judge', '--judge needs --run <run>, the run whose trials are judged again.')
    return
  }
  if ([from, against, correct, repeat].some((value) => value !== undefined) || swap)
    problem('--run', '--run measures the judges of a run. Remove --from, --against, --correct, --repeat and --swap.')
  if (name !== undefined)
    problem('--run', `--run measures the judges of a run. Remove "${name}", or name it with --judge.`)
}

/** Measures the judges of a stored run, and those that are named, against the labels of people. */
export async function labelledRun(host: Host, own: Results, read: LabelledRunFlags): Promise<RunCalibration> {
  const { judge, concurrency, budget: budgetUsd, labels: labelsFile } = read
  const { run, labels, context } = await labelledRunOf(host, own, read)
  const loaded = judge.length === 0 ? undefined : await host.config()
  const judges = loaded === undefined ? {} : Object.fromEntries(judge.map((one) => [one, judgeNamed(loaded, one)]))
  refuseMissingKeys(Object.values(judges).map((jury) => ({ jury })))
  using interrupt = interruptible(host, () => 'Stopping: judging is being cancelled (press again to exit immediately).')
  const { calibrateRun } = await import('@jurist/experiment/label')
  for (const one of judge) host.note(`judging again by ${one}: ${counted(labels.length, 'label')}`)
  return await calibrateRun({
    ...{ run, labels, judges, store: own.store, signal: interrupt.signal },
    ...defined({ concurrency, budgetUsd, labelsFile, context: loaded && (await context(loaded)) }),
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

/** The JSON document: the table, the people, the reading list, and the report of each judge. */
export function labelledRunDocument({ calibrations, ...rest }: RunCalibration): object {
  const judges = Object.entries(calibrations).map(([judge, { agreementRate, report }]) => {
    return [judge, { agreementRate, report }] as const
  })
  return { ...rest, judges: Object.fromEntries(judges) }
}
