import { checkOptions, type OptionRule, option } from '@jurist/core/internal'
import type { Experiment, ExperimentOptions, Reporter } from '@jurist/experiment'
import { openedDataset } from '@jurist/experiment/internal'
import { establish } from '../establish/establish.js'
import { runProbes } from '../probe/run-probes.js'
import type { BenchmarkCard } from './benchmark-card.js'
import { cardOf } from './card-of.js'

/** Options of `vet`. */
export interface VetOptions {
  /** `quick`: each item is tried once with its right answer and once without. `full`: 5 times, and the probes that take long. Default `standard`: 3 times. */
  readonly level?: 'quick' | 'standard' | 'full'
  /** Names of probes that may get through, beside `vet.accepted` of the experiment. Default: none. */
  readonly allow?: readonly string[]
  /** Whether members of the jury that cost money are left out. Default `false`. */
  readonly free?: boolean
  /** Whether probes that leave processes behind run without a sandbox. Default `false`: they are skipped. */
  readonly withoutSandbox?: boolean
  /** `latest`: continues the newest unfinished runs of both kinds, or begins new ones. */
  readonly resume?: 'latest'
  readonly signal?: AbortSignal
  readonly onEvent?: Reporter
}

const rules: { readonly [name in keyof Required<VetOptions>]: OptionRule } = {
  level: option.oneOf('quick', 'standard', 'full'),
  allow: option.strings,
  free: option.boolean,
  withoutSandbox: option.boolean,
  resume: option.oneOf('latest'),
  signal: option.anything,
  onEvent: option.function,
}

const repeats = { quick: 1, standard: 3, full: 5 } as const

/**
 * Vets a benchmark: `establish`, then `runProbes`, and what they say on one card. Two runs in the store of the experiment.
 * If the first is interrupted, the probes do not run.
 *
 * @throws `option-invalid`; as `runExperiment`
 *
 * @example
 * import { vet, vetReportText } from '@jurist/vet'
 * import { testsPass } from '@jurist/workspace/commands'
 *
 * const card = await vet({
 *   name: 'fix',
 *   dataset: 'dataset',
 *   jury: testsPass.npm('test', { overlay: { paths: ['tests', 'package.json'] }, minTests: 3 }),
 * })
 * console.log(vetReportText(card, { format: 'markdown' }))
 */
export async function vet(experiment: ExperimentOptions | Experiment, options?: VetOptions): Promise<BenchmarkCard> {
  const given = checkOptions<VetOptions>('vet', options, rules)
  const { level = 'standard', allow, withoutSandbox, ...shared } = given
  const established = await establish(experiment, { ...shared, repeat: repeats[level] })
  const isStopped = !established.complete || given.signal?.aborted === true
  const probed = isStopped
    ? null
    : await runProbes(experiment, {
        ...shared,
        level: level === 'full' ? 'full' : 'standard',
        ...(allow === undefined ? {} : { allow }),
        ...(withoutSandbox === undefined ? {} : { withoutSandbox }),
      })
  const dataset = await openedDataset(experiment)
  return cardOf({
    dataset: await dataset.describe(experiment.filter),
    establish: established,
    probe: probed,
    madeAt: new Date().toISOString(),
  })
}
