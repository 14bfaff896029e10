import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { parseOrUndefined } from '@jurist/kit/json'
import * as v from 'valibot'
import { entryOf, itemDirectory, jsonFile, type ListedItem, writeFiles } from '../write-project.js'
import type { Instance } from './instances.js'
import type { InstanceTrees } from './repository-trees.js'

/** An instance, with its files and its judge if its repository was found. */
export interface SwebenchItem {
  readonly instance: Instance
  readonly solved?: {
    readonly trees: InstanceTrees
    readonly judge: Readonly<Record<string, unknown>>
    /** The path of its repository, relative to the dataset. */
    readonly repoPath: string
  }
}

/** Adds items to a project. Nothing else changes, and an item that still lacks its files stays as it is. */
export async function addItems(
  root: string,
  { manifest }: EarlierProject,
  items: readonly SwebenchItem[],
): Promise<void> {
  const known = new Set(manifest.items.map(({ id }) => id))
  for (const item of items)
    if (item.solved !== undefined || !known.has(item.instance.id)) await writeInstance(root, item)
  const ready = new Set(items.flatMap(({ instance, solved }) => (solved === undefined ? [] : [instance.id])))
  const kept = manifest.items.map(({ status, ...entry }) =>
    status === undefined || ready.has(entry.id) ? entry : { ...entry, status },
  )
  const added = items.filter(({ instance }) => !known.has(instance.id)).map((item) => entryOf(listedItem(item)))
  // The manifest is replaced atomically: a half-written one would not be a dataset.
  const file = join(root, 'dataset', 'dataset.json')
  await writeFile(`${file}.tmp`, jsonFile({ ...manifest, items: [...kept, ...added] }))
  await rename(`${file}.tmp`, file)
}

export function listedItem({ instance: { id }, solved }: SwebenchItem): ListedItem {
  return { id, isDisabled: solved === undefined }
}

/** The path of a repository, relative to the dataset. */
export function repositoryPath(repo: string): string {
  return `repositories/${repo.replace('/', '__')}.git`
}

export async function writeInstance(root: string, { instance, solved }: SwebenchItem): Promise<void> {
  const { id, repo, baseCommit, problem, version, kept } = instance
  const git = (commitHash: string) => ({ repoPath: solved?.repoPath, commitHash })
  const item = {
    ...(solved && { beforeRef: git(solved.trees.before), referenceRef: git(solved.trees.reference) }),
    ...(solved && { judges: { tests: solved.judge } }),
    tags: [repo],
    metadata: { source: { instance_id: id, repo, base_commit: baseCommit, version, ...kept } },
  }
  const task = problem.endsWith('\n') ? problem : `${problem}\n`
  await writeFiles(itemDirectory(root, id), { 'task.md': task, 'item.json': jsonFile(item) })
}

export interface EarlierProject {
  /** Its manifest, which may have been edited since. */
  readonly manifest: v.InferOutput<typeof earlierSchema>
  /** The items that have their files. The others are imported again. */
  readonly whole: ReadonlySet<string>
}

/** Reads the project of an earlier import of SWE-bench; `undefined` for any other directory. */
export async function earlierProject(root: string): Promise<EarlierProject | undefined> {
  const dataset = join(root, 'dataset')
  const manifest = await jsonIn(join(dataset, 'dataset.json'))
  if (!v.is(earlierSchema, manifest)) return undefined
  const { items } = manifest
  const whole = new Set<string>()
  for (const { id, path } of items) {
    const item = await jsonIn(join(dataset, path, 'item.json'))
    if (isPlainObject(item) && item['beforeRef'] !== undefined) whole.add(id)
  }
  return { manifest, whole }
}

const earlierSchema = v.looseObject({
  items: v.array(v.looseObject({ id: v.string(), path: v.string(), status: v.exactOptional(v.string()) })),
  metadata: v.looseObject({ source: v.looseObject({ format: v.literal('swe-bench') }) }),
})

async function jsonIn(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : parseOrUndefined(text)
}
