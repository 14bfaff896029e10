import { randomUUID } from 'node:crypto'
import { JuristError } from '@jurist/core'
import { checkOptions, type OptionRule, option } from '@jurist/core/internal'
import type { Experiment, ExperimentOptions, Reporter } from '@jurist/experiment'
import { openedDataset } from '@jurist/experiment/internal'
import { establish } from '../establish/establish.js'
import type { RunMutantsOptions } from '../mutate/mutate-options.js'
import type { MutationReport } from '../mutate/mutation-report.js'
import { runMutants } from '../mutate/run-mutants.js'
import { runProbes } from '../probe/run-probes.js'
import { partOfVetting, unfinishedVetting } from '../resumed-runs.js'
import type { BenchmarkCard } from './benchmark-card.js'
import { cardOf } from './card-of.js'

/** Options of `vet`. */
export interface VetOptions {
  /**
   * `quick`: each item is tried once with its right answer, once without, and with 2 mutants. `full`: 5 times, 10 mutants, and
   * the probes that take long. Default `standard`: 3 times, 5 mutants.
   */
  readonly level?: 'quick' | 'standard' | 'full'
  /** Names of probes that may get through, beside `vet.accepted` of the experiment. Default: none. */
  readonly allow?: readonly string[]
  /** Whether members of the jury that cost money are left out. Default `false`. */
  readonly free?: boolean
  /** Whether probes that leave processes behind run without a sandbox. Default `false`: they are skipped. */
  readonly withoutSandbox?: boolean
  /** `latest`: continues the newest vetting that did not come to its end; its finished runs are not repeated. Else a new one. */
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
const mutantsPerItem = { quick: 2, standard: 5, full: 10 } as const

/** The work of `vet` of `vetting.ts`. */
export async function vet(experiment: ExperimentOptions | Experiment, options?: VetOptions): Promise<BenchmarkCard> {
  const given = checkOptions<VetOptions>('vet', options, rules)
  const { level = 'standard', allow, withoutSandbox, resume, ...shared } = given
  const resumed = resume === undefined ? undefined : await unfinishedVetting(experiment)
  const metadata = { ...experiment.metadata, ...partOfVetting(resumed?.vetting ?? randomUUID()) }
  const marked = { ...experiment, metadata }
  const resuming = (kind: 'establish' | 'probe' | 'mutate') =>
    resumed?.[kind] === undefined ? {} : { resume: resumed[kind] }
  const established = await establish(marked, { ...shared, ...resuming('establish'), repeat: repeats[level] })
  const isStopped = !established.complete || given.signal?.aborted === true
  const probed = isStopped
    ? null
    : await runProbes(marked, {
        ...shared,
        ...resuming('probe'),
        level: level === 'full' ? 'full' : 'standard',
        ...(allow === undefined ? {} : { allow }),
        ...(withoutSandbox === undefined ? {} : { withoutSandbox }),
      })
  const isInterrupted = probed === null || !probed.complete || given.signal?.aborted === true
  const mutation = isInterrupted
    ? null
    : await mutated(marked, { ...shared, ...resuming('mutate'), perItem: mutantsPerItem[level] })
  const dataset = await openedDataset(experiment)
  return cardOf({
    dataset: await dataset.describe(experiment.filter),
    establish: established,
    probe: probed,
    mutation,
    madeAt: new Date().toISOString(),
  })
}

/** The mutants of the items; `null` where no item has a source that can be mutated. */
async function mutated(
  experiment: ExperimentOptions | Experiment,
  { free, ...options }: RunMutantsOptions & { readonly free?: boolean },
): Promise<MutationReport | null> {
  try {
    return await runMutants(experiment, options)
  } catch (thrown) {
    if (JuristError.is(thrown, 'option-invalid') && thrown.details.option === 'dataset') return null
    throw thrown
  }
}
