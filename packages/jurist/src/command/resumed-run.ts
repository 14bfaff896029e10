import type { ExperimentOptions } from '@jurist/experiment'
import type { ExperimentResult } from '@jurist/experiment/result'
import { usageInvalid } from '../config/problems.js'
import { findRun, resultsHolding } from './find-run.js'
import type { Host } from './host.js'
import type { Results } from './results-store.js'
import type { RunFlags } from './run-flags.js'

/** The stored run that goes on, and the results that hold it. */
export interface ResumedRun {
  readonly run: ExperimentResult
  readonly results: Results
}

/**
 * The run that `--resume <run>` means; `undefined` for one that is to be found by its experiment.
 *
 * @throws `usage-invalid` naming what fits
 */
export async function resumedRun(
  results: Results,
  { resume }: RunFlags,
  { cwd }: Host,
): Promise<ResumedRun | undefined> {
  if (typeof resume !== 'string') return undefined
  if (resume.endsWith('.tgz'))
    throw usageInvalid(
      '--resume',
      `${resume} is a bundle, and cannot go on. Take it out first: jurist bundle --extract`,
    )
  return { run: await findRun(results, resume, cwd), results: await resultsHolding(results, resume, cwd) }
}

/** A stored run says itself what it is of: flags that say something else are refused. */
export function refuseOtherThan(
  run: ExperimentResult,
  experiments: readonly ExperimentOptions[],
  { variants, session, sweep, order }: RunFlags,
): void {
  const { id, experimentName, variant } = run
  const other = experiments.find(({ name }) => name !== experimentName)
  if (other !== undefined) throw usageInvalid('--resume', `${id} is a run of ${experimentName}, not of ${other.name}.`)
  const wrong = variants.find((name) => name !== variant)
  if (wrong !== undefined)
    throw usageInvalid(
      '--variant',
      `${id} is a run of ${variant === null ? 'no variant' : `the variant ${variant}`}, not of ${wrong}. Leave --variant out.`,
    )
  for (const [flag, value] of Object.entries({ '--session': session, '--sweep': sweep, '--order': order }))
    if (value !== undefined)
      throw usageInvalid(
        flag,
        `--resume ${id} goes on with one run. Leave ${flag} out, or give --resume without a run.`,
      )
}
