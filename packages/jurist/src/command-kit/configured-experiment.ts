import { basename, resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import { failureOf, isPlainObject } from '@jurist/core/internal'
import type { Dataset, ExperimentOptions, InlineItem, Knowledge } from '@jurist/experiment'
import {
  type DatasetPath,
  datasetDirectory,
  isDatasetPath,
  pathOf,
  withMatrix,
  withPath,
} from '@jurist/experiment/internal'
import { existingDirectory, usageInvalid } from '@jurist/experiment/plugin'
import type { RunResult } from '@jurist/experiment/result'
import { safeLine } from '@jurist/kit/terminal'
import { describedJudges } from '../config/described-judges.js'
import type { LoadedConfig } from '../config/load-config.js'
import { calledFunction, configInvalid, unknownAmong } from '../config/problems.js'
import type { Host } from './host.js'

/** An experiment of the config with its name and absolute paths. */
export type NamedExperiment = ExperimentOptions

/**
 * Returns the experiments of a config by their names, or the only one without names.
 *
 * @throws `usage-invalid` with the nearest name and all names
 */
export async function experimentsOf(
  loaded: LoadedConfig,
  names: readonly string[],
  all = false,
): Promise<readonly NamedExperiment[]> {
  const known = Object.keys(loaded.config.experiments ?? {})
  const file = basename(loaded.file)
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw usageInvalid(
      unknown[0] ?? '',
      unknown.map((name) => `No experiment "${name}" in ${file}.${unknownAmong(name, known)}`).join('\n'),
    )
  if (names.length === 0 && !all && known.length !== 1)
    throw usageInvalid(
      'experiment',
      known.length === 0
        ? `${file} has no experiment. Add one under "experiments".`
        : `${file} has several experiments. Name those to run: ${known.join(', ')}.`,
    )
  return Promise.all((names.length === 0 ? known : [...new Set(names)]).map((name) => experimentOf(loaded, name)))
}

async function experimentOf(
  { config, plugins, directory, file }: LoadedConfig,
  name: string,
): Promise<NamedExperiment> {
  const options = await configuredEntry(file, ['experiments', name], config.experiments?.[name])
  const { kind: _, ...rest } = options as ExperimentOptions & { readonly kind?: string }
  const { allowAbstain } = config
  const common = { describedJudges: describedJudges({ ...config, plugins }), allowAbstain }
  return withMatrix(fromDirectory({ ...common, ...rest, name }, directory))
}

/**
 * Returns the options of an entry of the config, or those that its function returns. Its key is its name.
 *
 * @throws `config-invalid`
 */
export async function configuredEntry<Options extends { readonly name?: string }>(
  file: string,
  [kind, name]: readonly [kind: string, name: string],
  entry: Options | (() => Options | Promise<Options>) | undefined,
): Promise<Options & { readonly name: string }> {
  const path = `${kind}.${name}`
  const options = typeof entry === 'function' ? await calledFunction(entry, file, path) : entry
  if (typeof options !== 'object' || options === null)
    throw configInvalid(file, [{ path, problem: 'its function gave no options.', remedy: 'Return the options.' }])
  if (options.name !== undefined && options.name !== name) {
    const problem = `is "${options.name}".`
    throw configInvalid(file, [{ path: `${path}.name`, problem, remedy: 'Remove "name": the key is the name.' }])
  }
  return { ...options, name }
}

/** Resolves paths from the directory of the config. Values of other types stay unchanged for the check of options. */
function fromDirectory(options: ExperimentOptions, directory: string): NamedExperiment {
  const { dataset, knowledge, variants, projectDirectory = '.' } = options
  return {
    ...options,
    dataset: absoluteDataset(dataset, directory),
    projectDirectory: typeof projectDirectory === 'string' ? resolve(directory, projectDirectory) : projectDirectory,
    ...(knowledge === undefined ? {} : { knowledge: absoluteKnowledge(knowledge, directory) }),
    ...(isPlainObject(variants) ? { variants: absoluteVariants(variants, directory) } : {}),
  }
}

function absoluteVariants(variants: NonNullable<ExperimentOptions['variants']>, directory: string) {
  const entries = Object.entries(variants).map(([name, variant]) => {
    const knowledge = isPlainObject(variant) ? (variant.knowledge as Knowledge | undefined) : undefined
    return [
      name,
      knowledge === undefined ? variant : { ...variant, knowledge: absoluteKnowledge(knowledge, directory) },
    ]
  })
  return Object.fromEntries(entries)
}

function absoluteKnowledge(knowledge: Knowledge, directory: string): Knowledge {
  return typeof knowledge?.directory === 'string'
    ? { ...knowledge, directory: resolve(directory, knowledge.directory) }
    : knowledge
}

/** Resolves a path of the config from its directory. */
export function datasetFrom(place: DatasetPath, directory: string): DatasetPath {
  return withPath(place, resolve(directory, pathOf(place)))
}

function absoluteDataset(dataset: ExperimentOptions['dataset'], directory: string): ExperimentOptions['dataset'] {
  if (isDatasetPath(dataset)) return datasetFrom(dataset, directory)
  if (!Array.isArray(dataset)) return dataset
  return dataset.map((item: InlineItem) => absoluteItem(item, directory))
}

function absoluteItem(item: InlineItem, directory: string): InlineItem {
  // Values that are not items are refused later.
  if (!isPlainObject(item as unknown)) return item
  const absolute = (source: NonNullable<InlineItem['before']>) =>
    typeof source === 'string' ? resolve(directory, source) : source
  const { before, reference } = item
  return {
    ...item,
    ...(before === undefined ? {} : { before: absolute(before) }),
    ...(reference === undefined ? {} : { reference: absolute(reference) }),
  }
}

/**
 * Adds hosts to the allow-list of an experiment's workspaces.
 *
 * @throws `usage-invalid` without such a list, or for a host that cannot be on it
 */
export function allowing(
  { name, provision }: Pick<ExperimentOptions, 'name' | 'provision'>,
  hosts: readonly string[],
): Pick<ExperimentOptions, 'provision'> {
  const flag = '--allow-host'
  if (hosts.length === 0) return {}
  if (provision?.allowing === undefined)
    throw usageInvalid(
      flag,
      `${name} has no allow-list of hosts. Give it one: sandbox: { bubblewrap: { network: { allow: [] } } }`,
    )
  try {
    return { provision: provision.allowing(hosts) }
  } catch (thrown) {
    if (JuristError.is(thrown, 'option-invalid')) throw usageInvalid(flag, failureOf(thrown).message)
    throw thrown
  }
}

/**
 * Returns the directories of the datasets in the config. Records contain the initial states and references of their
 * items, but records are untrusted, so only directories of the user's own config are read. An experiment that is a
 * function is not called: it may prepare a run, and its runs record the place of their dataset.
 */
export async function datasetDirectories(host: Host): Promise<readonly string[]> {
  const loaded = await host.configIfAny()
  return Object.values(loaded?.config.experiments ?? {}).flatMap((experiment) => {
    if (loaded === undefined || typeof experiment === 'function') return []
    const { dataset } = experiment
    if (isDatasetPath(dataset)) return [resolve(loaded.directory, pathOf(dataset))]
    return 'directory' in dataset && dataset.directory !== null ? [dataset.directory] : []
  })
}

/**
 * Returns the directories that `--source` names.
 *
 * @throws `usage-invalid` if one is missing or a file
 */
export function namedSources(host: Host, names: readonly string[]): Promise<readonly string[]> {
  return Promise.all(names.map((name) => existingDirectory(name, '--source', host.cwd)))
}

/** Returns the directory of a run's dataset, if it is inside the working directory or the directory of the config. */
export async function ownDataset(host: Host, run: RunResult): Promise<readonly string[]> {
  const loaded = await host.configIfAny()
  const found = await datasetDirectory(run, [host.cwd, ...(loaded === undefined ? [] : [loaded.directory])])
  return found === undefined ? [] : [found]
}

const words: { readonly [role: string]: string } = { reference: 'reference data' }

/**
 * Formats the role of each column of a file of rows, such as `question → task, answer → expected; metadata: note`;
 * `undefined` for a dataset without columns.
 */
export function columnRoles(columns: Dataset['columns']): string | undefined {
  if (columns === undefined || columns.length === 0) return undefined
  const roles = columns.filter(({ role }) => role !== 'metadata')
  const others = columns.filter(({ role }) => role === 'metadata').map(({ column }) => safeLine(column))
  const known = roles.map(({ column, role }) => `${safeLine(column)} → ${words[role] ?? role}`).join(', ')
  const metadata = others.length === 0 ? [] : [`metadata: ${others.join(', ')}`]
  return [...(known === '' ? [] : [known]), ...metadata].join('; ')
}
