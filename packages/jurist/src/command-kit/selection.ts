import { relative } from 'node:path'
import { JuristError } from '@jurist/core'
import { type Dataset, defineExperiment, type ExperimentOptions, type ItemFilter } from '@jurist/experiment'
import { isDatasetPath, openedDataset as openExperimentDataset, sampleOf } from '@jurist/experiment/internal'
import { type FlagValues, flag, oneOf, repeatable, text, toggle, usageInvalid, whole } from '@jurist/experiment/plugin'
import { unknownAmong } from '../config/problems.js'
import { grouped, jsonObject } from './subcommand.js'

/** The names in selection flags. */
interface GivenNames {
  readonly item: readonly string[]
  readonly slug: readonly string[]
  readonly bucket: readonly string[]
  readonly taskType: readonly string[]
  readonly tag: readonly string[]
}

type Kind = keyof GivenNames

const words: { readonly [kind in Kind]: readonly [flag: string, noun: string] } = {
  item: ['--item', 'item'],
  slug: ['--slug', 'slug'],
  bucket: ['--bucket', 'bucket'],
  taskType: ['--task-type', 'task type'],
  tag: ['--tag', 'tag'],
}

/**
 * Refuses names that no item of the dataset has, regardless of its status, since they would have no effect.
 *
 * @throws `usage-invalid` with the nearest known name for each
 */
async function checkNames(dataset: Dataset, given: GivenNames, where: string): Promise<void> {
  const { entries } = dataset
  const known = {
    item: entries.map(({ id }) => id),
    slug: entries.map(({ slug }) => slug),
    bucket: entries.map(({ bucket }) => bucket),
    taskType: entries.map(({ taskType }) => taskType),
    tag: given.tag.length === 0 ? [] : await tagsOf(dataset, given.tag),
  }
  refuseUnknownNames(known, given, `${where} (${entries.length} items)`)
}

/**
 * Refuses unknown names.
 *
 * @throws `usage-invalid` with the nearest known name for each
 */
export function refuseUnknownNames(known: GivenNames, given: GivenNames, place: string): void {
  const unknown = (Object.keys(words) as Kind[]).flatMap((kind) =>
    given[kind].filter((name) => !known[kind].includes(name)).map((name) => ({ kind, name })),
  )
  const [first] = unknown
  if (first === undefined) return
  throw usageInvalid(
    words[first.kind][0],
    unknown.map(({ kind, name }) => unknownProblem(kind, name, known[kind], place)).join('\n'),
  )
}

function unknownProblem(kind: Kind, name: string, known: readonly string[], place: string): string {
  const distinct = [...new Set(known)].filter((one) => one !== '')
  return `No ${words[kind][1]} "${name}" in ${place}.${unknownAmong(name, distinct)}`
}

/** Returns the tags of a dataset. Items are read until all `wanted` tags have been found. */
async function tagsOf(dataset: Dataset, wanted: readonly string[]): Promise<readonly string[]> {
  const seen = new Set<string>()
  for (const { id } of dataset.entries) {
    if (wanted.every((tag) => seen.has(tag))) break
    for (const tag of await tagsOfItem(dataset, id)) seen.add(tag)
  }
  return [...seen]
}

async function tagsOfItem(dataset: Dataset, id: string): Promise<readonly string[]> {
  try {
    return (await dataset.item(id)).tags
  } catch (thrown) {
    // A broken item is reported when it is selected and read.
    if (JuristError.is(thrown, 'dataset-invalid')) return []
    throw thrown
  }
}

const plan = { onResume: 'plan' } as const
const rarePlan = { ...plan, isRare: true } as const

/** The flags that select items of a dataset or trials of a stored run. */
export const storedSelectionFlags = grouped('Which items', {
  item: repeatable('-i, --item <id>', 'only this item', text, { ...plan, completes: 'item' }),
  slug: repeatable('--slug <slug>', 'only this slug', text, rarePlan),
  bucket: repeatable('--bucket <name>', 'only this bucket', text, plan),
  taskType: repeatable('--task-type <type>', 'only this task type', text, rarePlan),
  tag: repeatable('--tag <tag>', 'only items with this tag; several: with all of them', text, plan),
  notItem: repeatable('--not-item <id>', 'exclude this item', text, { ...plan, completes: 'item' }),
  notTag: repeatable('--not-tag <tag>', 'exclude items with this tag', text, plan),
  filter: flag('--filter <json>', 'a filter object', jsonObject, plan),
  sample: flag('--sample <n>', 'a random sample of n items', whole(1), plan),
  seed: flag('--seed <n>', 'the seed of --sample (default: 1)', whole(0), { ...plan, default: 1 }),
  first: flag('--first <n>', 'the first n items', whole(1), plan),
})

const statuses = ['active', 'disabled', 'deprecated', 'any'] as const

/**
 * The flags that select items. Flags of different kinds all apply. Of one kind, any value matches, except that all tags
 * must.
 */
export const selectionFlags = grouped('Which items', {
  ...storedSelectionFlags,
  status: repeatable('--status <status>', `items of this status: ${statuses.join(', ')}`, oneOf(statuses), rarePlan),
  noChange: toggle('--no-change', 'only items whose right answer is to change nothing', rarePlan),
})

/** The selection of the flags, read but not yet applied. */
export interface Selection {
  readonly filters: readonly ItemFilter[]
  /** The given names, to check that they exist. */
  readonly given: GivenNames
  readonly sample: number | undefined
  readonly seed: number
  readonly first: number | undefined
}

type SelectionValues = FlagValues<typeof storedSelectionFlags> &
  Partial<Pick<FlagValues<typeof selectionFlags>, 'status' | 'noChange'>>

export function readSelection(values: SelectionValues): Selection {
  const { item, slug, bucket, taskType, tag, notItem, notTag, filter, status = [], noChange = false } = values
  const some = (
    key: 'id' | 'slug' | 'bucket' | 'taskType' | 'tags',
    names: readonly string[],
  ): readonly ItemFilter[] => (names.length === 0 ? [] : [{ [key]: names } as ItemFilter])
  const filters = [
    ...some('id', item),
    ...some('slug', slug),
    ...some('bucket', bucket),
    ...some('taskType', taskType),
    ...some('tags', tag),
    ...(status.length === 0 ? [] : [{ status: status.includes('any') ? 'any' : status } as ItemFilter]),
    ...(noChange ? [{ noChange: true }] : []),
    ...notItem.map((id): ItemFilter => ({ not: { id } })),
    ...notTag.map((one): ItemFilter => ({ not: { tags: [one] } })),
    ...(filter === undefined ? [] : [filter as ItemFilter]),
  ]
  const given = { item: [...item, ...notItem], slug, bucket, taskType, tag: [...tag, ...notTag] }
  return { filters, given, sample: values.sample, seed: values.seed, first: values.first }
}

/**
 * Combines the experiment's own filter with the selection of the flags. Opens the dataset to check the names.
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
 * Opens the dataset of an experiment.
 *
 * @throws `experiment-invalid` with all problems of the options if they have no dataset
 */
export async function openedDataset(experiment: ExperimentOptions): Promise<Dataset> {
  if (!isDataset(experiment.dataset)) defineExperiment(experiment)
  return openExperimentDataset(experiment)
}

/** Whether a value of a config can be a dataset. */
export function isDataset(value: unknown): boolean {
  return isDatasetPath(value) || (typeof value === 'object' && value !== null && 'items' in value)
}

/** Returns at most `most` ids that a filter selects. */
async function idsOf(dataset: Dataset, filter: ItemFilter | undefined, most: number): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const { id } of dataset.items(filter)) {
    ids.push(id)
    if (ids.length >= most) break
  }
  return ids
}

function emptySelection({ entries }: Dataset, where: string): Error {
  if (entries.length === 0) return usageInvalid('dataset', `${where} has no items to run. Add one.`)
  return nothingSelected('item', where, entries.length)
}

/** The error for flags that match no item or trial together. */
export function nothingSelected(what: 'item' | 'trial', where: string, count: number): Error {
  return usageInvalid('--item', `The selection is empty: no ${what} of ${where} (${count} ${what}s) matches all flags.`)
}

/** Returns the ids that `--sample` and `--first` select, in their original order. */
export function sampled(
  ids: readonly string[],
  { sample, seed, first }: Pick<Selection, 'sample' | 'seed' | 'first'>,
): readonly string[] {
  const left = sample === undefined ? ids : sampleOf(ids, sample, seed)
  return first === undefined ? left : left.slice(0, first)
}

const modes = ['copy', 'in-place', 'none'] as const

/** How judges of stored trials see the kept workspaces. */
export const workspacesFlag = flag(
  '--workspaces <mode>',
  `how judges see the kept workspaces: ${modes.join(', ')} (default: copy)`,
  oneOf(modes),
  { default: 'copy' },
)
