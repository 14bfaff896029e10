import { JuristError } from '@jurist/core'
import type { Dataset } from '@jurist/experiment'
import { unknownAmong, usageInvalid } from '../config/problems.js'

/** The names that selection flags were given. */
export interface GivenNames {
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
 * Refuses names that no item of the dataset has, whatever its status, since they would have no effect.
 *
 * @throws `usage-invalid` with the nearest known name for each
 */
export async function checkNames(dataset: Dataset, given: GivenNames, where: string): Promise<void> {
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
 * Refuses names that are not among the known ones.
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

/** The tags of a dataset, read item by item until all `wanted` ones were seen. */
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
