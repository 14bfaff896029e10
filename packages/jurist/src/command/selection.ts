import { relative } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import {
  type Dataset,
  defineExperiment,
  type ExperimentOptions,
  type ItemCriteria,
  type ItemFilter,
  dataset as inlineDataset,
  openDataset,
} from '@jurist/experiment'
import type { Command } from 'commander'
import { usageInvalid } from '../config/problems.js'
import { type FlagReader, repeated } from './flag-values.js'
import { checkNames, type GivenNames } from './selection-names.js'
import type { Flags } from './subcommand.js'

/** The flags that select items. Different kinds are conjoined; the same kind is any of, tags are all of. */
export function withSelectionFlags(command: Command): Command {
  return command
    .option('-i, --item <id>', 'only this item (repeatable)', repeated)
    .option('--slug <slug>', 'only this slug (repeatable)', repeated)
    .option('--bucket <name>', 'only this bucket (repeatable)', repeated)
    .option('--task-type <type>', 'only this task type (repeatable)', repeated)
    .option('--tag <tag>', 'only items with this tag (repeatable: all of them)', repeated)
    .option('--status <status>', 'active, disabled, deprecated or any (repeatable)', repeated)
    .option('--no-change', 'only items whose right answer is to change nothing')
    .option('--not-item <id>', 'not this item (repeatable)', repeated)
    .option('--not-tag <tag>', 'no item with this tag (repeatable)', repeated)
    .option('--filter <json>', 'a filter object')
    .option('--sample <n>', 'so many items by a seeded shuffle')
    .option('--seed <n>', 'the seed of --sample (default: 1)')
    .option('--first <n>', 'the first so many items')
}

/** What the flags select, read but not yet applied. */
export interface Selection {
  readonly filters: readonly ItemFilter[]
  readonly given: GivenNames
  readonly sample: number | undefined
  readonly seed: number
  readonly first: number | undefined
}

/** Reads the flags of `withSelectionFlags`. */
export function readSelection(flags: Flags, reader: FlagReader): Selection {
  const list = (name: string) => (flags[name] ?? []) as readonly string[]
  const given = {
    item: [...list('item'), ...list('notItem')],
    slug: list('slug'),
    bucket: list('bucket'),
    taskType: list('taskType'),
    tag: [...list('tag'), ...list('notTag')],
  }
  const status = list('status').map((one) =>
    reader.oneOf('--status', one, ['active', 'disabled', 'deprecated', 'any'] as const),
  )
  const some = (key: keyof ItemCriteria, values: readonly string[]): readonly ItemFilter[] =>
    values.length === 0 ? [] : [{ [key]: values } as ItemFilter]
  const custom = reader.json('--filter', flags.filter)
  if (custom !== undefined && !isPlainObject(custom)) reader.problem('--filter', '--filter wants a JSON object.')
  const filters = [
    ...some('id', list('item')),
    ...some('slug', given.slug),
    ...some('bucket', given.bucket),
    ...some('taskType', given.taskType),
    ...some('tags', list('tag')),
    ...(status.length === 0 ? [] : [{ status: status.includes('any') ? 'any' : status } as ItemFilter]),
    ...(flags.change === false ? [{ noChange: true }] : []),
    ...list('notItem').map((id): ItemFilter => ({ not: { id } })),
    ...list('notTag').map((tag): ItemFilter => ({ not: { tags: [tag] } })),
    ...(isPlainObject(custom) ? [custom as ItemFilter] : []),
  ]
  return {
    filters,
    given,
    sample: reader.whole('--sample', flags.sample, 1),
    seed: reader.whole('--seed', flags.seed, 0) ?? 1,
    first: reader.whole('--first', flags.first, 1),
  }
}

/**
 * The experiment with what the flags select, conjoined with its own filter. The dataset is opened, so that names that
 * select nothing are found.
 *
 * @throws `usage-invalid` for an unknown item, slug, bucket, task type or tag, and for an empty selection
 */
export async function selected(
  experiment: ExperimentOptions,
  selection: Selection,
  cwd: string,
): Promise<ExperimentOptions> {
  const dataset = await openedDataset(experiment)
  const where =
    dataset.directory === null ? `the dataset ${dataset.name}` : `${relative(cwd, dataset.directory) || '.'}/`
  await checkNames(dataset, selection.given, where)
  const filters = [...(experiment.filter === undefined ? [] : [experiment.filter]), ...selection.filters]
  const [first, ...others] = filters
  const filter = others.length === 0 ? first : { and: filters }
  const counts = selection.sample !== undefined || selection.first !== undefined
  const ids = await idsOf(dataset, filter, counts ? Number.POSITIVE_INFINITY : 1)
  if (ids.length === 0) throw emptySelection(dataset, where)
  const narrowed = counts ? { id: sampled(ids, selection), status: 'any' as const } : filter
  return {
    ...experiment,
    dataset,
    ...(narrowed === undefined ? {} : { filter: narrowed }),
    ...(selection.sample === undefined
      ? {}
      : { metadata: { ...experiment.metadata, sample: { items: selection.sample, seed: selection.seed } } }),
  }
}

/**
 * The dataset of an experiment, opened.
 *
 * @throws `experiment-invalid` with everything that is wrong with the options where they name no dataset
 */
export async function openedDataset(experiment: ExperimentOptions): Promise<Dataset> {
  const { dataset, name } = experiment
  if (typeof dataset === 'string') return openDataset(dataset)
  if (Array.isArray(dataset)) return inlineDataset({ name, items: dataset })
  if (!isDataset(dataset)) defineExperiment(experiment)
  return dataset as Dataset
}

/** Whether a value of a config can be a dataset; JavaScript and YAML may hold anything. */
export function isDataset(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null && 'items' in value)
}

/** The first `most` ids that a filter selects: to know that there are any, one will do. */
async function idsOf(dataset: Dataset, filter: ItemFilter | undefined, most: number): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const { id } of dataset.items(filter)) {
    ids.push(id)
    if (ids.length >= most) break
  }
  return ids
}

function emptySelection({ entries }: Dataset, where: string): Error {
  if (entries.length === 0) return usageInvalid('dataset', `There is nothing to run: ${where} has no items. Add one.`)
  return usageInvalid('--item', `The selection is empty: no item of ${where} (${entries.length} items) fits all flags.`)
}

/** What `--sample` and `--first` leave of some ids, in their old order. */
export function sampled(ids: readonly string[], { sample, seed, first }: Selection): readonly string[] {
  const left = sample === undefined ? ids : sampleOf(ids, sample, seed)
  return first === undefined ? left : left.slice(0, first)
}

/** `count` ids by a seeded shuffle, in their old order. */
function sampleOf(ids: readonly string[], count: number, seed: number): readonly string[] {
  let state = seed >>> 0
  // mulberry32: small, and the same on every machine.
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const keyed = ids.map((id) => ({ id, key: random() })).sort((a, b) => a.key - b.key)
  const taken = new Set(keyed.slice(0, count).map(({ id }) => id))
  return ids.filter((id) => taken.has(id))
}
