import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { checkOptions } from '@jurist/core/internal'
import { isRunId, type TrialName } from '@jurist/experiment/internal/results'
import type { ResultStore, RunWriter } from '@jurist/experiment/store'
import {
  type Documents,
  type RunLinesKind,
  type StoreBackend,
  storeOver,
  type TrialQueue,
} from '@jurist/experiment/store-kit'
import { temporaryDirectory } from '@jurist/workspace/internal'
import { postgresBackend } from './backend.js'
import { database } from './database.js'
import type { PostgresPool } from './pool.js'
import { postgresQueue } from './postgres-queue.js'
import { currentVersion } from './schema.js'
import { filePlaces, type PostgresStoreOptions, storeRules } from './store-options.js'
import { type FilePlaces, fetchFile, keepFile, keepTrialFiles } from './trial-files.js'

/** A store in PostgreSQL. */
export interface PostgresStore extends ResultStore {
  /** The address without the password. */
  readonly address: string
  /**
   * Brings the tables of an older version up to date, in one transaction.
   *
   * @throws `store-failed`, also for tables of a newer version
   */
  migrate(): Promise<{ readonly from: number; readonly to: number }>
  /**
   * Stores the files of a run, except its record, its labels, and what scans found: workspaces and journals.
   *
   * @param directory the directory of the run
   * @returns the files that are not stored, and why
   */
  keepFiles(id: string, directory: string): Promise<readonly string[]>
  /** The sessions and the sweeps, or what is kept beside runs as lines, as they are stored. */
  documents(kind: 'sessions' | 'sweeps' | RunLinesKind): Documents<string>
  /** The queue of the same database: `postgresQueue` with the options of the store. */
  queue(): TrialQueue
}

/**
 * A store in PostgreSQL 13 or newer. Its tables are made when it is first used; `jurist store migrate` brings those of an
 * older version up to date. Many processes may write different runs at the same time; one run has one writer. A connection
 * that breaks is opened again for up to a minute.
 *
 * @param database an address such as `postgres://user@host/name`, or a `Pool` of `pg`, which stays the caller's to end. The
 * password may also be in `PGPASSWORD` or in `~/.pgpass`; it is in no record and no message.
 * @throws every function: `store-failed` when the database fails, `record-invalid` for damaged records
 *
 * @example
 * import { postgresStore } from '@jurist/distributed/postgres'
 *
 * await using store = postgresStore('postgres://jurist@localhost/results')
 * for await (const { id, passRate } of store.list({ experimentName: 'add-readme', limit: 5 })) console.log(id, passRate)
 */
export function postgresStore(address: string | PostgresPool, options?: PostgresStoreOptions): PostgresStore {
  const checked = checkOptions('postgresStore', options, storeRules)
  const { schema = 'jurist', leaseMs = 60_000, project, ...files } = checked
  const tables = database(address, schema, project)
  const places = filePlaces(tables, files)
  const backend = postgresBackend(tables, leaseMs)
  return {
    ...withKeptFiles(storeOver(backend), backend, places),
    address: tables.address,
    documents: backend.documents,
    queue: () => postgresQueue(address, checked),
    keepFiles: (id, directory) => keepRunFiles(places, id, directory),
    migrate: async () => ({ from: await tables.migrate(), to: currentVersion }),
  }
}

/** The database stores a run's record and the lines beside it in tables, not as files. */
const records: ReadonlySet<string> = new Set([
  'run.json',
  'items.jsonl',
  'trials.jsonl',
  'excluded.json',
  'labels.jsonl',
  'findings.jsonl',
  'settlements.jsonl',
  'lock',
  'next',
])

/** Keeps the files in the directory of a run: each workspace as a whole, and every other file. Returns what is not kept. */
async function keepRunFiles(places: FilePlaces, run: string, directory: string): Promise<readonly string[]> {
  const problems: string[] = []
  for (const path of await pathsIn(directory, '')) {
    const problem = await keepFile(places, { run, path, place: join(directory, path) })
    if (problem !== undefined) problems.push(problem)
  }
  return problems
}

/** Keeps the files that are directly in the directory of a run, such as the proofs of its mutants. Warns of what is not kept. */
async function keepOwnFiles(places: FilePlaces, run: string, directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (!entry.isFile() || records.has(entry.name)) continue
    const problem = await keepFile(places, { run, path: entry.name, place: join(directory, entry.name) })
    if (problem !== undefined) process.emitWarning(problem, { type: 'JuristWarning' })
  }
}

async function pathsIn(directory: string, at: string): Promise<readonly string[]> {
  const entries = await readdir(join(directory, at), { withFileTypes: true }).catch(() => [])
  const paths: string[] = []
  for (const entry of entries) {
    const path = at === '' ? entry.name : `${at}/${entry.name}`
    if (records.has(path)) continue
    if (entry.isDirectory() && at !== 'workspaces') paths.push(...(await pathsIn(directory, path)))
    else if (entry.isDirectory() || entry.isFile()) paths.push(path)
  }
  return paths
}

/**
 * A store that keeps the files of its runs: a writer has a temporary directory, and what a trial leaves in it is kept when the
 * trial is stored.
 */
function withKeptFiles(store: ResultStore, backend: StoreBackend, places: FilePlaces): ResultStore {
  return {
    ...store,
    open: async (manifest) => keepingWriter(await store.open(manifest), manifest.experimentName, places),
    async resume(id) {
      const { writer, ...stored } = await store.resume(id)
      const keeping = await keepingWriter(writer, stored.manifest.experimentName, places)
      for (const row of await places.table.of(id, [])) {
        const place = join(keeping.directory ?? '', row.path)
        if (isContained(row.path)) await fetchFile(places, row, place)
      }
      return { ...stored, writer: keeping }
    },
    async remove(id) {
      const removed = await store.remove(id)
      if (removed) {
        await places.table.remove(id)
        await places.artifacts.remove(id)
      }
      return removed
    },
    async files(id) {
      const run = await store.overview(id)
      return run === undefined ? [] : (await places.table.of(id)).map(({ path, bytes }) => ({ path, bytes }))
    },
    fetchFiles: (id, to, trials) => fetchFiles(backend, places, { id, to, trials }),
  }
}

async function keepingWriter(writer: RunWriter, experimentName: string, places: FilePlaces): Promise<RunWriter> {
  const root = temporaryDirectory()
  const run = writer.runId
  const directory = join(root, experimentName, run)
  await mkdir(directory, { recursive: true })
  const appending = new Set<Promise<void>>()
  const leave = () => rm(root, { recursive: true, force: true })
  return {
    ...writer,
    directory,
    append(item) {
      const appended = keepTrialFiles(places, item, { run, directory }).then(writer.append)
      const settled = appended.catch(() => undefined).finally(() => appending.delete(settled))
      appending.add(settled)
      return appended
    },
    async finish(end) {
      await Promise.all(appending)
      await keepOwnFiles(places, run, directory)
      return await writer.finish(end).finally(leave)
    },
    async release() {
      await Promise.all(appending)
      // Nothing is left to keep after the end.
      await keepOwnFiles(places, run, directory).finally(() => writer.release().finally(leave))
    },
  }
}

interface Fetching {
  readonly id: string
  readonly to: string
  readonly trials: readonly TrialName[] | undefined
}

/** Brings the files of trials, or all of a run, to where a store of files in the directory `to` would have them. */
async function fetchFiles(backend: StoreBackend, places: FilePlaces, { id, to, trials }: Fetching): Promise<void> {
  // Read by its own id only: the figures of a long run take longer than the files of a trial.
  const run = isRunId(id) ? await backend.read(id, trials === undefined ? 'records' : 'nothing') : undefined
  if (run === undefined) return
  const { experimentName } = JSON.parse(run.head) as { readonly experimentName: string }
  const records = trials === undefined ? run.trials : await backend.records(id, trials)
  const paths = records.flatMap((record) => {
    const { workspacePath, journalPath } = JSON.parse(record) as Readonly<Record<string, unknown>>
    return [workspacePath, journalPath]
  })
  const wanted = new Map<string, Set<string>>([[id, new Set()]])
  for (const path of paths) {
    const place = typeof path === 'string' ? placeOf(id, path) : undefined
    if (place !== undefined) wanted.set(place.run, (wanted.get(place.run) ?? new Set()).add(place.path))
  }
  for (const [of, its] of wanted) {
    const rows = await places.table.of(of, of === id && trials === undefined ? undefined : [...its])
    for (const row of rows) {
      const place = join(to, experimentName, of, row.path)
      if (isContained(`${experimentName}/${row.path}`) && !existsSync(place)) await fetchFile(places, row, place)
    }
  }
}

/** The run that a path of a trial belongs to: a trial that was judged again names the files of another one. */
function placeOf(id: string, path: string): { readonly run: string; readonly path: string } | undefined {
  const [, other, rest] = /^\.\.\/([^/]+)\/(.+)$/.exec(path) ?? []
  if (other === undefined || rest === undefined) return isContained(path) ? { run: id, path } : undefined
  return isRunId(other) && isContained(rest) ? { run: other, path: rest } : undefined
}

/** Records are untrusted: a path must lead into the directory of the run. */
function isContained(path: string): boolean {
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\\0]/.test(part))
}
