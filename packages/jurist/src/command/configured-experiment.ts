import { basename, resolve } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import type { Dataset, ExperimentOptions, InlineItem, Knowledge } from '@jurist/experiment'
import { calledFunction } from '../config/called-function.js'
import type { LoadedConfig } from '../config/load-config.js'
import { configInvalid, usageInvalid } from '../config/problems.js'
import { unknownAmong } from './unknown-name.js'

/** An experiment of the config, named, with its paths made absolute. */
export type NamedExperiment = ExperimentOptions

/**
 * The experiments of a config that `names` mean; without names the only one.
 *
 * @throws `usage-invalid` naming the nearest and all that exist
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

async function experimentOf({ config, directory, file }: LoadedConfig, name: string): Promise<NamedExperiment> {
  const entry = config.experiments?.[name]
  const options = typeof entry === 'function' ? await calledFunction(entry, file, `experiments.${name}`) : entry
  if (typeof options !== 'object' || options === null)
    throw configInvalid(file, [
      { path: `experiments.${name}`, problem: 'its function gave no options.', remedy: 'Return the options.' },
    ])
  if (options.name !== undefined && options.name !== name)
    throw configInvalid(file, [
      {
        path: `experiments.${name}.name`,
        problem: `is "${options.name}".`,
        remedy: 'Leave "name" out: the key counts.',
      },
    ])
  const { kind: _, ...rest } = options as ExperimentOptions & { readonly kind?: string }
  return fromDirectory({ ...rest, name }, directory)
}

/** The options with every path taken from the directory of the config. What is not a path is checked with the options. */
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

function absoluteDataset(dataset: ExperimentOptions['dataset'], directory: string): ExperimentOptions['dataset'] {
  if (typeof dataset === 'string') return resolve(directory, dataset)
  if (!isItems(dataset)) return dataset
  const absolute = (source: InlineItem['before']) => (typeof source === 'string' ? resolve(directory, source) : source)
  return dataset.map((item) =>
    isPlainObject(item)
      ? {
          ...item,
          ...(item.before === undefined ? {} : { before: absolute(item.before) ?? item.before }),
          ...(item.reference === undefined ? {} : { reference: absolute(item.reference) ?? item.reference }),
        }
      : item,
  )
}

function isItems(dataset: string | Dataset | readonly InlineItem[]): dataset is readonly InlineItem[] {
  return Array.isArray(dataset)
}
