import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { type ExperimentOptions, planExperiment, runExperiment, runSession } from '@jurist/experiment'
import { type Distribution, type Plan, type ShardOptions, sessionPlanOf } from '@jurist/experiment/internal'
import { baselineVariant, counted } from '@jurist/experiment/internal/results'
import { type ExitCode, usageInvalid } from '@jurist/experiment/plugin'
import { dollars, type RunResult } from '@jurist/experiment/result'
import { safeBlock, safeLine } from '@jurist/kit/terminal'
import type { Host } from '../../command-kit/host.js'
import type { Results } from '../../command-kit/results-store.js'
import { unknownAmong } from '../../config/problems.js'
import { noteInSession, unfinishedRun, unfinishedSession } from './resume.js'
import type { RunFlags } from './run-flags.js'
import type { Listeners } from './run-listeners.js'
import { shardOptions } from './shard-flags.js'

interface RunRequest {
  readonly experiment: ExperimentOptions
  /** `[]` for an experiment without variants. */
  readonly variants: readonly string[]
  readonly read: RunFlags
  readonly results: Results
  /** The run that `--resume <run>` names. */
  readonly resumed: RunResult | undefined
  /** The settings for sharing trials with workers; `undefined` if they run here. */
  readonly distribute: Distribution | undefined
  /** The part of the trials that runs; `undefined` for all. */
  readonly shard: ShardOptions | undefined
  readonly signal: AbortSignal
  readonly onEvent: Listeners['onEvent']
}

/** The results of one experiment. */
export interface Performed {
  readonly experiment: Pick<ExperimentOptions, 'name'>
  readonly session: string | null
  readonly results: readonly RunResult[]
  /** Variants whose run failed, one per line. */
  readonly broken: readonly string[]
  /** Variants that had not started when the command was interrupted. */
  readonly left: readonly string[]
}

/** Runs or resumes an experiment: one run, or a session with one run per variant. */
export async function performRun(request: RunRequest): Promise<Performed> {
  const { variants, read } = request
  if (request.resumed !== undefined) return resumeOne(request, request.resumed)
  if (read.resume === true) return goOn(request)
  return variants.length === 0 ? single(request, {}) : session(request, undefined)
}

/** Resumes unfinished runs. Never starts a new run. */
async function goOn(request: RunRequest): Promise<Performed> {
  const { experiment, variants, read, results } = request
  const [variant = null] = variants
  if (variants.length < 2 && read.session === undefined && read.sweep === undefined) {
    const resume = await unfinishedRun(results, experiment, variant, read)
    if (resume === undefined) return nothing(experiment)
    return single(request, { resume, ...(variant === null ? {} : { variant }) })
  }
  const unfinished = await unfinishedSession(results, experiment, variants, read)
  return unfinished === undefined ? nothing(experiment) : session(request, unfinished)
}

function nothing(experiment: ExperimentOptions): Performed {
  return { experiment, session: null, results: [], broken: [], left: [] }
}

async function single(
  { experiment, read, results, distribute, shard, signal, onEvent }: RunRequest,
  options: { readonly variant?: string; readonly resume?: string },
): Promise<Performed> {
  const resuming = options.resume === undefined ? {} : { retryErrors: read.retryErrors, widen: read.widen }
  const run = runExperiment<string>(experiment, {
    ...{ signal, onEvent, ...options, ...resuming },
    ...(distribute === undefined ? {} : { distribute }),
    ...(shard === undefined ? {} : { shard }),
  })
  const result = await run.overview
  // A run that is resumed alone may belong to a session.
  await noteInSession(results, experiment, result)
  return { experiment, session: null, results: [result], broken: [], left: [] }
}

/** Resumes one stored run, with the variant that it records. */
function resumeOne(request: RunRequest, { id, variant }: RunResult): Promise<Performed> {
  return single(request, { resume: id, ...(variant === null ? {} : { variant }) })
}

/** @param unfinished the session to resume */
async function session(
  { experiment, variants, read, results, distribute, shard, signal, onEvent }: RunRequest,
  unfinished: string | undefined,
): Promise<Performed> {
  const { sessions, sweeps } = results.store
  const name = unfinished ?? read.session
  const known = unfinished === undefined ? undefined : await sessions.load(experiment.name, unfinished)
  const planned = known && sessionPlanOf(known)?.variants
  // Without --variant, a session resumes its own variants.
  const chosen = planned === undefined || read.widen || read.variant.length > 0 ? variants : planned
  const run = runSession<string>(experiment, {
    variants: chosen,
    signal,
    onEvent: (event): void | Promise<void> => onEvent(event, run.session),
    session: name,
    distribute,
    shard,
    order: read.order,
    ...(unfinished === undefined ? {} : { resume: true, retryErrors: read.retryErrors, widen: read.widen }),
  })
  const ended = await run.overview
  const found = ended.results
  const lost = chosen.filter((variant) => found[variant] === undefined)
  if (read.sweep !== undefined) await addToSweep(sweeps, read.sweep, experiment, run.session)
  return {
    experiment,
    session: run.session,
    results: chosen.flatMap((variant) => found[variant] ?? []),
    broken: signal.aborted ? [] : lost.map((variant) => `${variant}: its run broke`),
    left: signal.aborted ? lost : [],
  }
}

async function addToSweep(
  sweeps: Results['store']['sweeps'],
  sweep: string,
  { name, variants }: ExperimentOptions,
  sessionName: string,
): Promise<void> {
  const [first, ...others] = Object.keys(variants ?? {})
  const known = await sweeps.load(name, sweep)
  if (known === undefined && first !== undefined)
    await sweeps.create({ sweep, experimentName: name, expected: [first, ...others] })
  await sweeps.addSession(name, sweep, sessionName)
}

/**
 * Checks the names of `--session` and `--sweep` with the store before anything runs.
 *
 * @throws `usage-invalid` for an invalid name
 */
export async function checkGroupNames(
  { store: { sessions, sweeps } }: Results,
  experiment: string,
  { session, sweep }: RunFlags,
): Promise<void> {
  if (session !== undefined) await named('--session', () => sessions.load(experiment, session))
  if (sweep !== undefined) await named('--sweep', () => sweeps.load(experiment, sweep))
}

async function named(flag: string, load: () => Promise<unknown>): Promise<void> {
  try {
    await load()
  } catch (thrown) {
    if (JuristError.is(thrown, 'name-invalid')) throw usageInvalid(flag, `${flag}: ${failureOf(thrown).message}`)
    throw thrown
  }
}

/** Returns the variants to run, in the order of their keys; `[]` for an experiment without variants. */
export function variantsOf({ variants }: ExperimentOptions, read: RunFlags): readonly string[] {
  const known = Object.keys(variants ?? {})
  return read.variant.length === 0 ? known : known.filter((name) => read.variant.includes(name))
}

/** Refuses unknown names in `--variant`, and flags of sessions for an experiment without variants. */
export function checkVariants(experiment: ExperimentOptions, read: RunFlags): void {
  const known = Object.keys(experiment.variants ?? {})
  for (const [flag, value] of Object.entries({
    '--session': read.session,
    '--sweep': read.sweep,
    '--order': read.order,
  }))
    if (value !== undefined && known.length === 0)
      throw usageInvalid(flag, `${flag} needs variants, and ${experiment.name} has none. Remove it.`)
  if (known.length > 0 && read.shard !== undefined && read.session === undefined && read.resume === undefined)
    throw usageInvalid(
      '--session',
      `--shard of an experiment with variants needs --session: a name that is the same for all shards, such as the id of the build.`,
    )
  const unknown = read.variant.filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  const lines = unknown.map((name) => `${experiment.name} has no variant "${name}".${unknownAmong(name, known)}`)
  throw usageInvalid('--variant', lines.join('\n'))
}

/**
 * Refuses `--baseline variant:NAME` if this session has no such variant, and the name of a variant without `variant:`.
 */
export function checkBaselineVariant(experiment: ExperimentOptions, baseline: string, read: RunFlags): void {
  const { name, variants } = experiment
  const known = Object.keys(variants ?? {})
  const named = baselineVariant(baseline)
  if (named === undefined) {
    if (!known.includes(baseline)) return
    throw usageInvalid(
      '--baseline',
      `"${baseline}" is a variant of ${name}. Did you mean "variant:${baseline}", as this session has it, or ` +
        `"${name}@${baseline}", its newest run?`,
    )
  }
  if (!known.includes(named))
    throw usageInvalid('--baseline', `${name} has no variant "${named}".${unknownAmong(named, known)}`)
  const isStored = read.session !== undefined || read.resume !== undefined
  if (!isStored && !variantsOf(experiment, read).includes(named))
    throw usageInvalid(
      '--baseline',
      `This session does not run the variant ${named}. Add --variant ${named}, or compare with its newest run: ` +
        `--baseline ${name}@${named}`,
    )
}

/** `run --dry-run` prints the trials that would run. Exit code 2 if the dataset has errors. */
export async function dryRun(host: Host, experiments: readonly ExperimentOptions[], read: RunFlags): Promise<ExitCode> {
  const shard = await shardOptions(host, read)
  const plans = (await Promise.all(experiments.map((experiment) => plansOf(experiment, read, shard)))).flat()
  if (host.flags.json === true) host.json({ plans })
  else for (const plan of plans) host.terminal.out(`${planText(plan)}\n`)
  return plans.some(({ problems }) => problems.some(({ severity }) => severity === 'error')) ? 2 : 0
}

interface NamedPlan extends Plan {
  readonly experimentName: string
  readonly variant: string | null
}

async function plansOf(
  experiment: ExperimentOptions,
  read: RunFlags,
  shard: ShardOptions | undefined,
): Promise<readonly NamedPlan[]> {
  const part = shard === undefined ? {} : { shard }
  const variants = variantsOf(experiment, read)
  const names: readonly (string | null)[] = variants.length === 0 ? [null] : variants
  return Promise.all(
    names.map(async (variant) => {
      const plan = await planExperiment<string>(experiment, { ...part, ...(variant === null ? {} : { variant }) })
      return { experimentName: experiment.name, variant, ...plan }
    }),
  )
}

const maxItems = 20

function planText({ experimentName, variant, items, trials, problems, conditions, ...estimate }: NamedPlan): string {
  const ids = [...new Set(items.map(({ itemId }) => itemId))]
  const more = ids.length > maxItems ? `, and ${ids.length - maxItems} more` : ''
  const [first] = items
  return [
    `${experimentName}${variant === null ? '' : `  ${variant}`}   dry run: ${counted(trials, 'trial')}, nothing was run`,
    '',
    `  Items       ${ids.slice(0, maxItems).map(safeLine).join(', ')}${more}`,
    ...(first === undefined
      ? []
      : [`  First prompt`, `    ${safeBlock(first.prompt).trimEnd().replaceAll('\n', '\n    ')}`]),
    `  Conditions  ${safeLine(JSON.stringify(conditions))}`,
    estimate.estimatedCostUsd === null
      ? '  Cost        unknown: no earlier run with a declared cost'
      : `  Cost        about ${dollars(estimate.estimatedCostUsd)}, from run ${estimate.estimateFrom}`,
    ...problems.map(({ severity, file, field, problem, remedy }) =>
      safeLine(`  ${severity}: ${file}${field === null ? '' : ` ${field}`}: ${problem} ${remedy}`),
    ),
    '',
  ].join('\n')
}
