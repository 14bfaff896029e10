import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import { failureOf, keepStacks } from '@jurist/core/internal'
import {
  type Dataset,
  defineExperiment,
  type ExperimentOptions,
  planExperiment,
  runExperiment,
  runSession,
  type UntilOptions,
} from '@jurist/experiment'
import {
  certificatesOf,
  type Distribution,
  isDatasetPath,
  isUncertified,
  type Plan,
  pathOf,
  type ShardOptions,
  sessionPlanOf,
} from '@jurist/experiment/internal'
import { modelUsersIn, refuseMissingKeys } from '@jurist/experiment/internal/config'
import { baselineVariant, counted } from '@jurist/experiment/internal/results'
import { type ExitCode, usageInvalid } from '@jurist/experiment/plugin'
import { dollars, duration, type RunResult } from '@jurist/experiment/result'
import { commandLine } from '@jurist/kit/command-line'
import { safeBlock, safeLine } from '@jurist/kit/terminal'
import { allowing, columnRoles, experimentsOf } from '../../command-kit/configured-experiment.js'
import { checkOutputFile } from '../../command-kit/files.js'
import { findRun } from '../../command-kit/find-run.js'
import { type Host, interruptible, resultsNamed, stopping, strayErrors } from '../../command-kit/host.js'
import { judgeCache } from '../../command-kit/judge-cache.js'
import { refuseQuarantine } from '../../command-kit/quarantine.js'
import { checkWritable, type Results, resultsOf } from '../../command-kit/results-store.js'
import { selected } from '../../command-kit/selection.js'
import { defined, type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import type { Thresholds } from '../../config/config.js'
import type { LoadedConfig } from '../../config/load-config.js'
import { loadedModules } from '../../config/module-config.js'
import { configInvalid, unknownAmong } from '../../config/problems.js'
import { detached, distributionOf } from '../worker/shared-queue.js'
import { concludeRuns } from './conclude-runs.js'
import {
  brokenOff,
  explained,
  interruptedLines,
  noteInSession,
  refuseOtherThan,
  resumedRun,
  unfinishedRun,
  unfinishedSession,
} from './resume.js'
import { checkRunFlags, eventFileOf, type RunFlags, readRunFlags, runFlags } from './run-flags.js'
import { type Listeners, listenersOf } from './run-listeners.js'
import type { Performed } from './run-output.js'
import { shardOptions } from './shard-flags.js'
import { type Round, type Spending, withinBudget } from './watch-run.js'

export const run: Subcommand = subcommand({
  arguments: [['[experiment...]', 'names in the config (default: the only one)']],
  flags: runFlags,
  examples: ['run add-readme --repeat 3 -j 4', 'run --item ITEM-001 --dry-run'],
  check(flags, problem, _, host) {
    checkRunFlags(flags, problem)
    if (flags.watch && (host.flags.json === true || flags.reporter.includes('json')))
      problem('--watch', 'Use --watch or --json, not both: --json prints one document, and --watch runs many times.')
  },
  async run(host, [names], flags, typed) {
    const read = readRunFlags(flags, typed)
    if (read.dryRun) return dryRun(await ready(host, names, read), read)
    if (!read.watch) return (await perform(await ready(host, names, read), read)).code
    const { watchRuns } = await import('./watch-run.js')
    return watchRuns(host, (fresh, spending) => watchedRound(fresh, names, read, spending))
  },
})

/** Everything that a run needs, loaded and checked. */
interface Ready {
  readonly host: Host
  readonly loaded: LoadedConfig
  readonly results: Results
  /** The experiments as configured, before the flags apply. */
  readonly named: readonly ExperimentOptions[]
  readonly experiments: readonly ExperimentOptions[]
  /** The run that `--resume <run>` names. */
  readonly resumed: RunResult | undefined
  /** The part of the trials that runs; `undefined` for all. */
  readonly shard: ShardOptions | undefined
}

async function ready(host: Host, names: readonly string[], read: RunFlags): Promise<Ready> {
  const loaded = await host.config()
  const own = await resultsOf(host)
  const named = await experimentsOf(loaded, names)
  // What a scan cannot do is refused before anything costs money.
  if (loaded.config.scan) (await import('../scan/scanned-run.js')).configuredScan(loaded)
  else if (loaded.config.thresholds?.suspects !== undefined) {
    const [path, problem] = ['thresholds.suspects', 'needs a scan of each run.']
    throw configInvalid(loaded.file, [{ path, problem, remedy: 'Set scan: true.' }])
  }
  const resumed = await resumedRun(own, read, host)
  if (resumed !== undefined) refuseOtherThan(resumed.run, named, read)
  const results = resumed?.results ?? own
  const shard = await shardOptions(host, read)
  const flags = { ...read, overrides: await resolvedOverrides(read, named, results, host) }
  const experiments = await Promise.all(named.map((one) => prepared(one, flags, results, host)))
  await checkCertificate(host, experiments, read)
  noteUncertified(host, experiments)
  for (const experiment of experiments) {
    checkVariants(experiment, read)
    untilOptions(experiment, read, loaded.config.thresholds)
    await checkGroupNames(results, experiment.name, read)
  }
  const isGated = Object.keys({ ...loaded.config.thresholds, ...read.thresholds }).length > 0
  for (const experiment of experiments)
    if (isGated || (experiment.baseline !== undefined && read.failOn !== 'never')) await refuseQuarantine(experiment)
  if (!read.dryRun) {
    // With workers, these need the keys of models.
    if (!read.distributed) refuseMissingKeys(experiments.flatMap((one) => modelUsersIn(one, variantsOf(one, read))))
    await checkTargets(host, results, read)
  }
  return { host: pointedAt(results, own, host), loaded, results, named, experiments, resumed: resumed?.run, shard }
}

/** Checks that every output can be written, before anything costs money. */
async function checkTargets(host: Host, results: Results, { outputs, reporter }: RunFlags): Promise<void> {
  await checkWritable(results)
  for (const name of outputs) await checkOutputFile(host, '--output', name)
  for (const name of reporter.flatMap((one) => eventFileOf(one) ?? [])) await checkOutputFile(host, '--reporter', name)
}

/** Makes suggested command lines name the results directory if a path led to another one. */
function pointedAt({ directory }: Results, own: Results, host: Host): Host {
  if (directory === undefined || directory === own.directory) return host
  return resultsNamed(host, directory)
}

/** Returns the overrides with the id of the run that `--baseline` names. */
async function resolvedOverrides(
  read: RunFlags,
  experiments: readonly ExperimentOptions[],
  results: Results,
  { cwd }: Host,
) {
  const { overrides } = read
  if (overrides.baseline === undefined || overrides.baseline === 'latest') return overrides
  for (const experiment of experiments) checkBaselineVariant(experiment, overrides.baseline, read)
  if (baselineVariant(overrides.baseline) !== undefined) return overrides
  return { ...overrides, baseline: (await findRun(results, overrides.baseline, cwd, ['agent'])).id }
}

/** Prepares a round of `--watch` within the remaining budgets; `undefined` if they are used up. */
async function watchedRound(
  host: Host,
  names: readonly string[],
  read: RunFlags,
  spending: Spending,
): Promise<Round | undefined> {
  const all = await ready(host, names, read)
  const { loaded, results, named } = all
  const affordable = () => {
    const experiments = all.experiments.map((experiment) => withinBudget(experiment, spending))
    return experiments.every((experiment) => experiment !== undefined) ? experiments : undefined
  }
  const experiments = affordable()
  if (experiments === undefined) return undefined
  const given = await Promise.all(read.watchPath.map((path) => existing(resolve(host.cwd, path), path)))
  const datasets = named.flatMap(({ dataset }) => (isDatasetPath(dataset) ? [pathOf(dataset)] : []))
  return {
    paths: [loaded.file, ...loadedModules(), ...datasets, ...given],
    ignored: results.directory === undefined ? [] : [results.directory],
    canGoOn: () => affordable() !== undefined,
    perform: () => perform({ ...all, experiments }, read),
  }
}

async function existing(path: string, given: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined) return path
  throw usageInvalid('--watch-path', `${given} does not exist. Name a file or a directory to watch.`)
}

async function perform(all: Ready, read: RunFlags) {
  const { host, loaded, results } = all
  using answers = await judgeCache(host, read.cache)
  const experiments = all.experiments.map((one) => ({ ...one, ...answers.asking }))
  const thresholds = { ...loaded.config.thresholds, ...read.thresholds }
  const runs = experiments.reduce((sum, experiment) => sum + Math.max(1, variantsOf(experiment, read).length), 0)
  const listeners = listenersOf(host, read, loaded.config.reporters ?? [], runs)
  const performed = await performAll({ ...all, experiments }, read, listeners)
  const finished = performed.flatMap((one) => one.results)
  if (read.detach) return { code: detached(host, finished, results.shown), results: finished }
  if (loaded.config.scan) {
    const { configuredScan, scanFinished } = await import('../scan/scanned-run.js')
    await scanFinished(host, results, finished, configuredScan(loaded))
  }
  const interrupted = interruptedLines(host.terminal.command, performed, experiments.slice(performed.length), read)
  const code = await concludeRuns(host, {
    ...{ performed, results, thresholds, read, interrupted },
    // A resumed run keeps its original options.
    allowAbstain: ({ experimentName }) => experiments.find(({ name }) => name === experimentName)?.allowAbstain,
    unwritten: listeners.unwritten(),
  })
  return { code, results: finished }
}

/** Applies the overrides and the selection of the flags to the experiment. */
async function prepared(
  experiment: ExperimentOptions,
  read: RunFlags,
  { store }: Results,
  host: Host,
): Promise<ExperimentOptions> {
  if (experiment.store !== undefined)
    host.note(`${experiment.name}: its own store is ignored; this command uses one store for everything.`)
  const { jury, ...rest } = experiment
  const budget = { ...experiment.budget, ...read.overrides.budget }
  const options: ExperimentOptions = {
    ...rest,
    ...(jury === undefined || read.noJudge ? {} : { jury }),
    ...read.overrides,
    ...allowing(experiment, read.allowHost),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
    store,
  }
  // Reports every invalid option before the dataset is opened.
  defineExperiment(options)
  const ready = await selected(options, read.selection, host.cwd)
  const columns = columnRoles((ready.dataset as Dataset).columns)
  if (columns !== undefined) host.note(`${experiment.name}: columns read as ${columns}`)
  return ready
}

async function performAll(
  { host, loaded, experiments, results, resumed, shard }: Ready,
  read: RunFlags,
  listeners: Listeners,
): Promise<readonly Performed[]> {
  if (host.flags.debug === true) keepStacks()
  using interrupt = interruptible(host, () => {
    listeners.stop()
    return stopping
  })
  using _strays = strayErrors(host.flags, host.terminal, () => {
    listeners.stop()
    return brokenOff(host.terminal.command, listeners.soFar(), read)
  })
  const performed: Performed[] = []
  try {
    const distribute = await distributionOf(host, results, read)
    await using _queue = distribute?.queue
    for (const experiment of experiments) {
      if (interrupt.signal.aborted) break
      const variants = variantsOf(experiment, read)
      const until = untilOptions(experiment, read, loaded.config.thresholds)
      const request = { experiment, variants, read, results, resumed, distribute, shard, until }
      performed.push(await performRun({ ...request, signal: interrupt.signal, onEvent: listeners.onEvent }))
    }
  } catch (thrown) {
    throw explained(
      thrown,
      host.terminal.command,
      listeners.soFar().at(-1),
      experiments[performed.length]?.name ?? '',
      read,
    )
  } finally {
    listeners.stop()
  }
  return performed
}

/**
 * Prints a notice for each experiment whose jury sends everything to its final tier because it has no certificate yet.
 */
function noteUncertified(host: Host, experiments: readonly ExperimentOptions[]): void {
  for (const { name, jury } of experiments)
    if (jury !== undefined && isUncertified(jury))
      host.note(
        `notice: ${name}: there is no certificate yet, so the final tier decides everything. Make one: ${commandLine('calibrate', 'NAME', '--certify', '--certificate', 'FILE')}`,
      )
}

/**
 * Refuses to start unless the jury of each experiment decides by the certificate in the file, with labels from people.
 *
 * @throws `usage-invalid`, `certificate-invalid`
 */
async function checkCertificate(
  { cwd }: Host,
  experiments: readonly ExperimentOptions[],
  { requireCertificate: file, allowModelLabels }: RunFlags,
): Promise<void> {
  if (file === undefined) return
  const { certificateIn } = await import('@jurist/experiment/certify')
  const certificate = certificateIn(resolve(cwd, file))
  const flag = '--require-certificate'
  if (certificate === null)
    throw usageInvalid(
      flag,
      `${file} does not exist. Make it: ${commandLine('calibrate', 'NAME', '--certify', '--certificate', file)}`,
    )
  for (const { name, jury } of experiments)
    if (jury === undefined || !certificatesOf(jury).some(({ id }) => id === certificate.id))
      throw usageInvalid(
        flag,
        `The jury of ${name} does not decide by the certificate ${certificate.id}. Give it a cascade with "certificate": "${file}".`,
      )
  if (certificate.labels.by === 'models' && !allowModelLabels)
    throw usageInvalid(
      flag,
      `The labels of ${file} are from models, so it bounds the disagreement with them and not with people. Label items with: ${commandLine('label', 'RUN')}. To accept it: --allow-model-labels`,
    )
}

/**
 * The question that `--until decided` answers: the difference of variants or from a baseline, or else a threshold of the pass rate.
 *
 * @throws `usage-invalid` where there is nothing, or more than one question, to decide
 */
function untilOptions(experiment: ExperimentOptions, read: RunFlags, configured: Thresholds = {}): UntilOptions {
  const { until, margin, onStop, selection, resume } = read
  if (until === undefined) return {}
  const { passRate, minimumDecided, scores, passRateOfAll } = { ...configured, ...read.thresholds }
  const unusable = Object.entries({ minimumDecided, scores, passRateOfAll }).find(([, value]) => value !== undefined)
  if (unusable !== undefined)
    throw usageInvalid(
      '--until',
      `A run that stops when it is decided cannot hold thresholds.${unusable[0]}. Remove it.`,
    )
  if (selection.sample !== undefined && !read.typed.plan.includes('--seed'))
    throw usageInvalid(
      '--sample',
      'With --until decided, --sample needs --seed <n>, so that a resume takes the same items.',
    )
  const differs = experiment.baseline !== undefined || variantsOf(experiment, read).length > 1
  const common = defined({ until, onStop, seed: selection.seed })
  if (differs && passRate !== undefined)
    throw usageInvalid(
      '--until',
      `--until decided decides one question: ${experiment.name} has ${experiment.baseline === undefined ? 'variants' : 'a baseline'} and thresholds.passRate. Remove one of them.`,
    )
  if (differs) return { ...common, ...defined({ margin }) }
  if (passRate !== undefined && margin === undefined) return { ...common, threshold: passRate }
  if (resume !== undefined) return { ...common, ...defined({ margin }) }
  const example = commandLine(
    'run',
    experiment.name,
    '--until',
    'decided',
    margin === undefined ? '--threshold' : '--baseline',
    margin === undefined ? '80%' : 'latest',
  )
  throw usageInvalid(
    '--until',
    `--until decided needs something to decide: a baseline, two variants${margin === undefined ? ', or a threshold of the pass rate' : ''}. For example: ${example}`,
  )
}

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
  /** The question that stops it. */
  readonly until: UntilOptions
  readonly signal: AbortSignal
  readonly onEvent: Listeners['onEvent']
}

/** Runs or resumes an experiment: one run, or a session with one run per variant. */
export async function performRun(request: RunRequest): Promise<Performed> {
  const { variants, read, resumed } = request
  // A stored run is resumed with the variant that it records.
  if (resumed !== undefined) return single(request, { resume: resumed.id, variant: resumed.variant ?? undefined })
  if (read.resume === true) return resumeUnfinished(request)
  return variants.length === 0 ? single(request, {}) : session(request, undefined)
}

/** Resumes unfinished runs. Never starts a new run. */
async function resumeUnfinished(request: RunRequest): Promise<Performed> {
  const { experiment, variants, read, results } = request
  const [variant = null] = variants
  if (variants.length < 2 && read.session === undefined && read.sweep === undefined) {
    const resume = await unfinishedRun(results, experiment, variant, read)
    if (resume === undefined) return nothing(experiment)
    return single(request, { resume, variant: variant ?? undefined })
  }
  const unfinished = await unfinishedSession(results, experiment, variants, read)
  return unfinished === undefined ? nothing(experiment) : session(request, unfinished)
}

function nothing(experiment: ExperimentOptions): Performed {
  return { experiment, session: null, results: [], broken: [], left: [] }
}

async function single(
  { experiment, read, results, distribute, shard, until, signal, onEvent }: RunRequest,
  options: { readonly variant?: string; readonly resume?: string },
): Promise<Performed> {
  const resuming = options.resume === undefined ? {} : { retryErrors: read.retryErrors, widen: read.widen }
  const run = runExperiment<string>(experiment, {
    ...{ signal, onEvent, distribute, shard, ...until, ...options, ...resuming },
  })
  const result = await run.overview
  // A run that is resumed alone may belong to a session.
  await noteInSession(results, experiment, result)
  return { experiment, session: null, results: [result], broken: [], left: [] }
}

/** @param unfinished the session to resume */
async function session(
  { experiment, variants, read, results, distribute, shard, until, signal, onEvent }: RunRequest,
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
    ...until,
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
async function dryRun({ host, experiments, shard }: Ready, read: RunFlags): Promise<ExitCode> {
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
  const variants = variantsOf(experiment, read)
  const names: readonly (string | null)[] = variants.length === 0 ? [null] : variants
  return Promise.all(
    names.map(async (variant) => {
      const plan = await planExperiment<string>(experiment, { shard, ...(variant === null ? {} : { variant }) })
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
    ...(estimate.estimatedMs === null ? [] : [`  Time        about ${duration(estimate.estimatedMs)}`]),
    ...problems.map(({ severity, file, field, problem, remedy }) =>
      safeLine(`  ${severity}: ${file}${field === null ? '' : ` ${field}`}: ${problem} ${remedy}`),
    ),
    '',
  ].join('\n')
}
