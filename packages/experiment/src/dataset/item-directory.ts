import { lstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Json, JsonObject } from '@jurist/core'
import { leavesThroughLink } from './contained.js'
import { type GitRef, readGitRef } from './git-ref.js'
import { itemHash } from './hash.js'
import type { ItemSource, UnhashedItem } from './item.js'
import { readItemFile } from './item-file.js'
import type { ManifestEntry } from './manifest.js'
import { once } from './once.js'
import type { Spot } from './problem.js'
import { collectProblems } from './problem.js'
import type { ItemReading } from './read-dataset.js'
import { treeContents } from './tree-contents.js'

/** Where files come from, and what the item's hash knows of them. */
interface Source {
  readonly source: ItemSource
  contents(): Json | Promise<Json>
}

/** `undefined`: something is wrong, and was reported. */
type FoundSource = Source | null | undefined

/**
 * Reads one item: `item.json`, and where its workspaces come from.
 *
 * @param root the real path of the dataset's directory
 */
export async function readItemDirectory(root: string, entry: ManifestEntry): Promise<ItemReading> {
  const { problems, report } = collectProblems()
  const file = await readItemFile(root, entry, report)
  if (file === undefined) return { entry, item: null, problems, hash: () => '' }
  const spot: Spot = { ...file.spot, file: entry.path }
  const before = findSource('before', file.beforeRef, root, file.spot)
  const ownReference = findSource('reference', file.referenceRef, root, file.spot)
  const metadata = file.fields?.metadata ?? entry.metadata
  if (before === null && !needsNoWorkspace(metadata)) reportMissing(spot)
  if (file.fields === null || before === undefined || ownReference === undefined || problems.some(isError))
    return { entry, item: null, problems, hash: () => '' }
  // Where changing nothing is right, what was there before is the right answer.
  const reference = ownReference ?? (file.fields.noChange ? before : null)
  const item: UnhashedItem = Object.freeze({
    ...file.fields,
    before: before?.source ?? null,
    reference: reference?.source ?? null,
  })
  return { entry, item, problems, hash: once(() => hashOf(item, before, reference)) }
}

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === 'error'
}

function needsNoWorkspace(metadata: JsonObject): boolean {
  return metadata.workspace === 'none'
}

async function hashOf(item: UnhashedItem, before: Source | null, reference: Source | null): Promise<string> {
  const contents = (await before?.contents()) ?? null
  return itemHash(item, {
    before: contents,
    reference: reference === before ? contents : ((await reference?.contents()) ?? null),
  })
}

/** The git ref of a role, else the directory of its name, else nothing. */
function findSource(role: 'before' | 'reference', ref: unknown, root: string, spot: Spot): FoundSource {
  if (ref !== undefined) {
    const git = readGitRef(ref, `${role}Ref`, spot, root)
    return git && { source: git.source, contents: () => triple(git) }
  }
  const itemPath = dirname(spot.file)
  const path = join(root, itemPath, role)
  const refuse = (problem: string, remedy: string): undefined => {
    spot.report({ file: itemPath, item: spot.item, field: `${role}/`, problem, remedy })
  }
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return null
  if (leavesThroughLink(root, path))
    return refuse('leaves the dataset through a link.', 'Put the directory itself there.')
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    return refuse('is no directory.', 'Make it a directory that holds the files.')
  return { source: Object.freeze({ type: 'directory', path }), contents: () => treeContents(path) }
}

function triple({ written: { repoPath, commitHash, subDirectory } }: GitRef): Json {
  return { repoPath, commitHash, subDirectory }
}

function reportMissing({ file, item, report }: Spot): void {
  const remedy = 'Add it, or a beforeRef, or metadata.workspace "none".'
  report({ file, item, field: 'before/', problem: 'is missing.', remedy })
}
