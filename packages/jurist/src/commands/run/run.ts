import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { keepStacks } from '@jurist/core/internal'
import { type Dataset, defineExperiment, type ExperimentOptions } from '@jurist/experiment'
import {
  certificatesOf,
  isDatasetPath,
  isUncertified,
  modelUsersIn,
  pathOf,
  refuseMissingKeys,
  type ShardOptions,
} from '@jurist/experiment/internal'
import { baselineVariant } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import type { RunResult } from '@jurist/experiment/result'
import { commandLine } from '@jurist/kit/command-line'
import { columnRoles, experimentsOf } from '../../command-kit/configured-experiment.js'
import { checkOutputFile } from '../../command-kit/files.js'
import { findRun } from '../../command-kit/find-run.js'
import { type Host, resultsNamed } from '../../command-kit/host.js'
import { judgeCache } from '../../command-kit/judge-cache.js'
import { interruptible, strayErrors } from '../../command-kit/process.js'
import { checkWritable, type Results, resultsOf } from '../../command-kit/results-store.js'
import { selected } from '../../command-kit/selection.js'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import type { LoadedConfig } from '../../config/load-config.js'
import { loadedModules } from '../../config/module-config.js'
import { detached, distributionOf } from '../worker/shared-queue.js'
import { concludeRuns } from './conclude-runs.js'
import {
  checkBaselineVariant,
  checkGroupNames,
  checkVariants,
  dryRun,
  type Performed,
  performRun,
  variantsOf,
} from './perform-run.js'
import { refuseOtherThan, resumedRun } from './resume.js'
import { brokenOff, explained, interruptedLines } from './resume-hint.js'
import { checkRunFlags, eventFileOf, type RunFlags, readRunFlags, runFlags } from './run-flags.js'
import { type Listeners, listenersOf } from './run-listeners.js'
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
    if (read.dryRun) return dryRun(host, (await ready(host, names, read)).experiments, read)
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
    await checkGroupNames(results, experiment.name, read)
  }
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
  const { host, loaded, results, experiments } = all
  const thresholds = { ...loaded.config.thresholds, ...read.thresholds }
  const runs = experiments.reduce((sum, experiment) => sum + Math.max(1, variantsOf(experiment, read).length), 0)
  using _cache = await judgeCache(host, read.cache)
  const listeners = listenersOf(host, read, loaded.config.reporters ?? [], runs)
  const performed = await performAll(all, read, listeners)
  const finished = performed.flatMap((one) => one.results)
  if (read.detach) return { code: detached(host, finished, results.shown), results: finished }
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
  { host, experiments, results, resumed, shard }: Ready,
  read: RunFlags,
  listeners: Listeners,
): Promise<readonly Performed[]> {
  if (host.flags.debug === true) keepStacks()
  using interrupt = interruptible(host, () => {
    listeners.stop()
    return 'Stopping: running trials are being cancelled (press again to exit immediately).'
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
      const request = { experiment, variants, read, results, resumed, distribute, shard, signal: interrupt.signal }
      performed.push(await performRun({ ...request, onEvent: listeners.onEvent }))
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

interface Required {
  readonly requireCertificate: string | undefined
  readonly allowModelLabels: boolean
}

/**
 * Prints a notice for each experiment whose jury sends everything to its final tier because it has no certificate yet.
 */
function noteUncertified(host: Host, experiments: readonly ExperimentOptions[]): void {
  for (const { name, jury } of experiments)
    if (jury !== undefined && isUncertified(jury))
      host.note(
        `notice: ${name}: there is no certificate yet, so the final tier decides everything. Make one: ${commandLine('calibrate-cascade', 'NAME', '--certificate', 'FILE')}`,
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
  { requireCertificate: file, allowModelLabels }: Required,
): Promise<void> {
  if (file === undefined) return
  const { certificateIn } = await import('@jurist/experiment/certify')
  const certificate = certificateIn(resolve(cwd, file))
  const flag = '--require-certificate'
  if (certificate === null)
    throw usageInvalid(
      flag,
      `${file} does not exist. Make it: ${commandLine('calibrate-cascade', 'NAME', '--certificate', file)}`,
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
