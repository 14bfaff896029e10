import { existsSync } from 'node:fs'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { PostgresStore } from '@jurist/distributed/postgres'
import type { ExperimentResult } from '@jurist/experiment/result'
import type { ResultStore, RunEntry } from '@jurist/experiment/store'

/** The source or target of a copy: a results directory or a database. */
export type CopyEnd =
  | {
      readonly store: ResultStore
      readonly directory: string
      /** The base of the paths of the items' own files. Default: the directory. */
      readonly base?: string
    }
  | { readonly store: PostgresStore; readonly directory: undefined }

/** Copies the sessions and sweeps of an experiment, and replaces those with the same name. */
async function copyDocuments(from: CopyEnd, to: CopyEnd, experiment: string): Promise<void> {
  for (const kind of ['sessions', 'sweeps'] as const)
    for (const text of await documentsOf(from, experiment, kind)) {
      const name = nameIn(text, kind)
      if (name !== undefined) await put(to, { experiment, kind, name, text })
    }
}

type Kind = 'sessions' | 'sweeps'

async function documentsOf({ store, directory }: CopyEnd, experiment: string, kind: Kind): Promise<readonly string[]> {
  if (directory === undefined) return await store.documents(kind).all(experiment)
  const place = join(directory, experiment, kind)
  const names = await readdir(place).catch(() => [])
  return await Promise.all(
    names.filter((name) => name.endsWith('.json')).map((name) => readFile(join(place, name), 'utf8')),
  )
}

/** Returns the name of a document if it is a valid file name. */
function nameIn(text: string, kind: Kind): string | undefined {
  const name: unknown = JSON.parse(text)[kind === 'sessions' ? 'session' : 'sweep']
  return typeof name === 'string' && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) ? name : undefined
}

interface Document {
  readonly experiment: string
  readonly kind: Kind
  readonly name: string
  readonly text: string
}

async function put({ store, directory }: CopyEnd, { experiment, kind, name, text }: Document): Promise<void> {
  if (directory === undefined) {
    await store.documents(kind).change(experiment, name, () => text)
    return
  }
  const place = join(directory, experiment, kind)
  await mkdir(place, { recursive: true })
  const unfinished = join(place, `${name}.${process.pid}.tmp`)
  await writeFile(unfinished, text)
  await rename(unfinished, join(place, `${name}.json`))
}

/** Copies the settlements of a run that the target does not have, and the findings of its last scan where it has none. */
async function copyScan({ store: from }: CopyEnd, { store: to }: CopyEnd, run: RunEntry): Promise<void> {
  const found = (await from.findings?.read(run)) ?? ''
  if (found !== '' && (await to.findings?.read(run)) === '') await to.findings?.replace(run, found)
  const known = new Set((await to.settlements?.read(run))?.split('\n'))
  const said = ((await from.settlements?.read(run)) ?? '').split('\n').filter((line) => !known.has(line) && line !== '')
  if (said.length > 0) await to.settlements?.append(run, said.map((line) => `${line}\n`).join(''))
}

/** Copies the labels of a run that the target does not have. */
async function copyLabels(from: CopyEnd, to: CopyEnd, run: RunEntry): Promise<void> {
  const there = await linesOf(to, run)
  const known = new Set(there)
  const missing = (await linesOf(from, run)).filter((line) => !known.has(line))
  if (missing.length === 0) return
  const lines = missing.map((line) => `${line}\n`).join('')
  if (to.directory === undefined) await to.store.labels?.append(run, lines)
  else await appendFile(fileOf(to.directory, run), lines)
}

async function linesOf({ store, directory }: CopyEnd, run: RunEntry): Promise<readonly string[]> {
  const text =
    directory === undefined
      ? await store.labels?.read(run)
      : await readFile(fileOf(directory, run), 'utf8').catch((thrown: NodeJS.ErrnoException) => {
          if (thrown.code === 'ENOENT') return ''
          throw thrown
        })
  // The part after the last line end is an unfinished line.
  return text?.split('\n').slice(0, -1) ?? []
}

function fileOf(directory: string, { experimentName, id }: RunEntry): string {
  return join(directory, experimentName, id, 'labels.jsonl')
}

/** The result of copying a run. `notKept` lists files that the target does not keep, with the reason. */
export interface CopiedRun {
  readonly id: string
  readonly outcome: 'copied' | 'present' | 'running'
  readonly notKept: readonly string[]
}

/**
 * Copies all finished runs with their files, labels and findings, then the sessions and sweeps of their experiments. Runs that
 * already exist with the same results get only further labels, so that the same call continues an interrupted copy.
 */
export async function copyResults(from: CopyEnd, to: CopyEnd, copied: (run: CopiedRun) => void): Promise<void> {
  const experiments = new Set<string>()
  for await (const entry of from.store.list({ order: 'oldest', includeExcluded: true })) {
    experiments.add(entry.experimentName)
    copied(await copyRun(from, to, entry))
  }
  for (const experiment of experiments) await copyDocuments(from, to, experiment)
}

/** Copies a run with its files, labels and findings, unless it exists already. */
export async function copyRun(from: CopyEnd, to: CopyEnd, entry: RunEntry): Promise<CopiedRun> {
  const { id, status, excluded } = entry
  if (status === 'running') return { id, outcome: 'running', notKept: [] }
  const run = (await isPresent(to, entry)) ? undefined : await from.store.load(id)
  // Files come first, so that a run with a record is complete.
  const notKept = run === undefined ? [] : await copyFiles(from, to, run)
  if (run !== undefined)
    await to.store.save(from.directory === undefined ? run : withPlaces(run, from.base ?? from.directory))
  if (excluded !== null) await to.store.exclude?.(id, excluded)
  await copyLabels(from, to, entry)
  await copyScan(from, to, entry)
  return { id, outcome: run === undefined ? 'present' : 'copied', notKept }
}

async function isPresent({ store }: CopyEnd, entry: RunEntry): Promise<boolean> {
  const known = await store.overview(entry.id)
  if (known === undefined) return false
  const same = known.status === entry.status && known.endedAt === entry.endedAt && known.durationMs === entry.durationMs
  return same && JSON.stringify(known.counts) === JSON.stringify(entry.counts)
}

async function copyFiles(from: CopyEnd, to: CopyEnd, { id, experimentName }: ExperimentResult) {
  if (to.directory !== undefined) {
    await from.store.fetchFiles?.(id, to.directory)
    return []
  }
  if (from.directory !== undefined) return await to.store.keepFiles(id, join(from.directory, experimentName, id))
  const between = await mkdtemp(join(tmpdir(), 'jurist-copy-'))
  try {
    await from.store.fetchFiles?.(id, between)
    const directory = join(between, experimentName, id)
    return existsSync(directory) ? await to.store.keepFiles(id, directory) : []
  } finally {
    await rm(between, { recursive: true, force: true })
  }
}

/** Makes the paths of the items' own files absolute, since these files are not copied. */
function withPlaces(run: ExperimentResult, directory: string): ExperimentResult {
  const absolute = (path: string | null) => (path === null ? null : resolve(directory, path))
  const items = run.items.map((item) => ({
    ...item,
    beforePath: absolute(item.beforePath),
    referencePath: absolute(item.referencePath),
  }))
  return { ...run, items }
}
