import { lstatSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Json } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { TestsLock } from '@jurist/workspace/commands'
import * as v from 'valibot'
import { anyText, fields, texts } from '../fields.js'
import { leavesThroughLink } from './contained.js'
import type { ColumnMap, OpenDatasetOptions } from './dataset.js'
import { type GitRef, readGitRef } from './git-ref.js'
import { itemHash, once, reportNames, treeContents } from './hash.js'
import type { ItemSource, UnhashedItem } from './item.js'
import { checkAt } from './item-fields.js'
import { readItemFile } from './item-file.js'
import { readJsonFile } from './json-file.js'
import { type Manifest, type ManifestEntry, manifestFile, openManifestRows, readManifest } from './manifest.js'
import { collectProblems, type Spot } from './problem.js'
import type { DatasetSource, ItemReading, Opening } from './read-dataset.js'

/** Reads `dataset.json`. The caller has checked that the directory exists. */
export async function openDirectory(path: string, options: OpenDatasetOptions, columns: ColumnMap): Promise<Opening> {
  const root = realpathSync(path)
  const { problems, report } = collectProblems()
  const value = await readJsonFile(root, { file: manifestFile, item: null, prefix: '', report })
  if (isPlainObject(value) && value['rows'] !== undefined) return openManifestRows(value, root, columns)
  const manifest = value === undefined ? undefined : readManifest(value, root, options, report)
  return { source: manifest === undefined ? null : directorySource(path, root, manifest), problems }
}

/** Each item is read once, on first use. */
function directorySource(path: string, root: string, manifest: Manifest): DatasetSource {
  const readings: Promise<ItemReading>[] = []
  return {
    ...manifest,
    directory: root,
    path: `${basename(path)}/`,
    file: manifestFile,
    problems: [],
    files: { directory: root, path: '.' },
    readAt(position) {
      readings[position] ??= readItemDirectory(root, manifest.entries[position] as ManifestEntry)
      return readings[position]
    },
  }
}

/** Where files come from, and how they enter the item's hash. */
interface Source {
  readonly source: ItemSource
  contents(): Json | Promise<Json>
}

/** `undefined`: there is an error, which was reported. */
type FoundSource = Source | null | undefined

/**
 * Reads one item: `item.json`, and where its workspaces come from.
 *
 * @param root the real path of the dataset's directory
 */
async function readItemDirectory(root: string, entry: ManifestEntry): Promise<ItemReading> {
  const { problems, report } = collectProblems()
  const file = await readItemFile(root, entry, report)
  if (file === undefined) return { entry, item: null, problems, hash: () => '' }
  const spot: Spot = { ...file.spot, file: entry.path }
  const before = findSource('before', file.beforeRef, root, file.spot)
  const ownReference = findSource('reference', file.referenceRef, root, file.spot)
  const metadata = file.fields?.metadata ?? entry.metadata
  if (before === null && metadata.workspace !== 'none') reportMissing(spot)
  const testsLock = await readTestsLock(root, entry.path, file.spot)
  if (file.fields === null || before === undefined || ownReference === undefined || problems.some(isError))
    return { entry, item: null, problems, hash: () => '' }
  // Where changing nothing is right, the files before are the right answer.
  const reference = ownReference ?? (file.fields.noChange ? before : null)
  const item: UnhashedItem = Object.freeze({
    ...file.fields,
    before: before?.source ?? null,
    reference: reference?.source ?? null,
    ...(testsLock === undefined ? {} : { testsLock }),
  })
  return { entry, item, problems, hash: once(() => hashOf(item, before, reference)) }
}

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === 'error'
}

async function hashOf(item: UnhashedItem, before: Source | null, reference: Source | null): Promise<string> {
  const contents = (await before?.contents()) ?? null
  return itemHash(item, {
    before: contents,
    input: item.input,
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
    return refuse('is not a directory.', 'Make it a directory that holds the files.')
  reportNames(path, `${itemPath}/${role}`, spot)
  return { source: Object.freeze({ type: 'directory', path }), contents: () => treeContents(path) }
}

function triple({ written: { repoPath, commitHash, subDirectory } }: GitRef): Json {
  return { repoPath, commitHash, subDirectory }
}

function reportMissing({ file, item, report }: Spot): void {
  const remedy = 'Add it, or a beforeRef, or metadata.workspace "none".'
  report({ file, item, field: 'before/', problem: 'is missing.', remedy })
}

/** The file beside `item.json` that names the tests of an item. */
const lockFile = 'tests.lock.json'

const lockSchema: v.GenericSchema<unknown, TestsLock> = fields({
  failToPass: texts,
  passToPass: texts,
  flaky: texts,
  seconds: v.number('must be a number'),
  tool: anyText,
  juryFingerprint: anyText,
  itemHash: anyText,
  canaries: v.exactOptional(
    v.array(
      fields({
        judge: anyText,
        form: v.picklist(['one-run', 'two-runs'], 'must be "one-run" or "two-runs"'),
        changes: v.array(
          fields({
            ...{ file: anyText, line: v.number('must be a number'), start: v.number('must be a number') },
            ...{ was: anyText, became: anyText, tests: texts, counts: v.boolean('must be a boolean') },
          }),
        ),
        titleEnds: v.record(v.string(), v.array(v.number('must be a number'))),
        problem: v.exactOptional(anyText),
      }),
    ),
  ),
})

/** The lock of an item; `undefined` without one, and when something is wrong with it, which is reported. */
async function readTestsLock(root: string, itemPath: string, spot: Spot): Promise<TestsLock | undefined> {
  const place: Spot = { ...spot, file: join(itemPath, lockFile) }
  if (lstatSync(join(root, place.file), { throwIfNoEntry: false }) === undefined) return undefined
  const value = await readJsonFile(root, place)
  return value === undefined ? undefined : checkAt(lockSchema, value, place)
}
