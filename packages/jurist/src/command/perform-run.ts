import { failureOf, JuristError } from '@jurist/core'
import { type ExperimentOptions, runExperiment, runSession } from '@jurist/experiment'
import type { ExperimentResult } from '@jurist/experiment/result'
import { usageInvalid } from '../config/problems.js'
import { findRun } from './find-run.js'
import type { Results } from './results-store.js'
import type { RunFlags } from './run-flags.js'
import type { Listeners } from './run-listeners.js'

interface RunRequest {
  readonly experiment: ExperimentOptions
  /** `[]` for an experiment without variants. */
  readonly variants: readonly string[]
  readonly read: RunFlags
  readonly results: Results
  readonly signal: AbortSignal
  readonly onEvent: Listeners['onEvent']
}

/** What became of one experiment. */
export interface Performed {
  readonly experiment: ExperimentOptions
  readonly session: string | null
  readonly results: readonly ExperimentResult[]
  /** Variants whose run broke, a line each. */
  readonly broken: readonly string[]
}

/** Runs an experiment: one run, or a session with a run for each variant. */
export async function performRun(request: RunRequest): Promise<Performed> {
  const { experiment, variants, read } = request
  if (typeof read.resume === 'string') return resumeOne(request, read.resume)
  if (variants.length === 0) return single(request, read.resume === true ? { resume: 'latest' } : {})
  if (variants.length === 1 && read.session === undefined && read.sweep === undefined && read.resume === true)
    return single(request, { variant: variants[0] ?? '', resume: 'latest' })
  return session(request, experiment)
}

async function single(
  { experiment, read, signal, onEvent }: RunRequest,
  options: { readonly variant?: string; readonly resume?: string },
): Promise<Performed> {
  const run = runExperiment<string>(experiment, { signal, onEvent, ...options, retryErrors: read.retryErrors })
  return { experiment, session: null, results: [await run.result], broken: [] }
}

/** A stored run says itself which variant it is of. */
async function resumeOne(request: RunRequest, wanted: string): Promise<Performed> {
  const stored = await findRun(request.results, wanted)
  if (stored.experimentName !== request.experiment.name)
    throw usageInvalid(
      '--resume',
      `${stored.id} is a run of ${stored.experimentName}, not of ${request.experiment.name}.`,
    )
  return single(request, { resume: stored.id, ...(stored.variant === null ? {} : { variant: stored.variant }) })
}

async function session(
  { variants, read, results, signal, onEvent }: RunRequest,
  experiment: ExperimentOptions,
): Promise<Performed> {
  const { sessions, sweeps } = results.store
  const unfinished = read.resume === true ? await sessions.mostRecent(experiment.name) : undefined
  const name = read.session ?? unfinished?.session
  const lost: string[] = []
  const run = runSession<string>(experiment, {
    variants,
    signal,
    onEvent: (event): Promise<void> => onEvent(event, run.session),
    ...(name === undefined ? {} : { session: name }),
    ...(read.order === undefined ? {} : { order: read.order }),
    ...(unfinished === undefined ? {} : { resume: true }),
  })
  const ended = await run.result
  const found = ended.results
  for (const variant of variants)
    if (found[variant] === undefined && !signal.aborted) lost.push(`${variant}: its run broke`)
  if (read.sweep !== undefined) await addToSweep(sweeps, read.sweep, experiment, run.session)
  return {
    experiment,
    session: run.session,
    results: variants.flatMap((variant) => found[variant] ?? []),
    broken: lost,
  }
}

async function addToSweep(
  sweeps: Results['store']['sweeps'],
  sweep: string,
  { name, variants }: ExperimentOptions,
  sessionName: string,
): Promise<void> {
  const [first, ...others] = Object.keys(variants ?? {})
  try {
    const known = await sweeps.load(name, sweep)
    if (known === undefined && first !== undefined)
      await sweeps.create({ sweep, experimentName: name, expected: [first, ...others] })
    await sweeps.addSession(name, sweep, sessionName)
  } catch (thrown) {
    if (JuristError.is(thrown, 'name-invalid')) throw usageInvalid('--sweep', failureOf(thrown).message)
    throw thrown
  }
}
