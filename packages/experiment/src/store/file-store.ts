import { appendFile, lstat, readdir } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { checkOptions, option, optionInvalid } from '@jurist/core/internal'
import { regularFileText } from '@jurist/kit/regular-file'
import type { ExperimentResult } from '../result/records.js'
import { tracked } from '../store-kit/store-over.js'
import { ifThere, isNowhere, onDisk, replaceFile } from './disk.js'
import { sessionSchema, sweepSchema } from './document-schemas.js'
import { fileDocuments } from './documents.js'
import { entriesOf, remember } from './file-listing.js'
import {
  experimentDirectories,
  experimentDirectory,
  findRun,
  finishRemovals,
  lockRun,
  openRun,
  type ResultsDirectory,
  removeRunDirectory,
  resumeRun,
  writingFor,
} from './file-open.js'
import { savedRecord, saveRun, staleMs } from './file-save.js'
import { holderOf } from './lock.js'
import { checkRunId, isRunId } from './names.js'
import { exclusionOf, type RunPaths, readRun, removeExclusion } from './run-directory.js'
import { checkQuery, newestEntry, selectEntries, storedResult } from './run-head.js'
import { sessionStore } from './sessions.js'
import type { KeptFile, ResultStore, RunEntry, RunLines, RunQuery, RunWriter, StoredRunName } from './store.js'
import { readRecord } from './stored-record.js'
import { readOverview } from './stored-run.js'
import { type RunFacts, sweepStore } from './sweeps.js'

/** How a `fileStore` works. */
export interface FileStoreOptions {
  /** Milliseconds of silence after which the writer of a run is taken for dead. Default 60,000. */
  readonly lockStaleMs?: number
  /** Whether writes wait until they are on the disk. Default `true`; `false` for results that may be lost. */
  readonly sync?: boolean
  /** Receives a message about each repair or omission. Default: a warning of the process, on stderr. */
  readonly onWarning?: (message: string) => void
}

/**
 * A store of plain files: `<directory>/<experiment>/<run>/run.json` and `items.jsonl`, one trial a line. Many processes
 * may write different runs of it at the same time; one run has one writer. Whatever the moment at which a process dies,
 * no trial that was acknowledged is lost. The directory is made when something is written.
 *
 * The results of `load` and `overview` are not deeply frozen and must not be changed: freezing ten thousand trials costs
 * more than reading them.
 *
 * Beside `items.jsonl` is `trials.jsonl`, an index with the figures of each trial, from which `overview` reads. It is a
 * cache and may be deleted.
 *
 * @throws every function: `store-failed` when the disk refuses, `record-invalid` for damaged files
 *
 * @example
 * import { fileStore } from '@jurist/experiment/store'
 *
 * await using store = fileStore('results')
 * for await (const { id, passRate } of store.list({ experimentName: 'add-readme', limit: 5 })) console.log(id, passRate)
 */
export function fileStore(directory: string, options?: FileStoreOptions): ResultStore {
  refuseAddress(directory)
  const checked = checkOptions('fileStore', options, {
    lockStaleMs: option.positive,
    sync: option.boolean,
    onWarning: option.function,
  })
  const { lockStaleMs = staleMs, sync = true, onWarning: warn = warnOnStderr } = checked
  const place: ResultsDirectory = { results: resolve(directory), lockStaleMs, sync, warn }
  const documents = { results: place.results, sync, warn }
  const sessions = sessionStore(
    fileDocuments({ ...documents, kind: 'sessions', read: (text, path) => readRecord(sessionSchema, text, path) }),
  )
  const sweepFiles = fileDocuments({
    ...{ ...documents, kind: 'sweeps' },
    read: (text, path) => readRecord(sweepSchema, text, path),
  })
  const writers = new Set<RunWriter>()
  const tidied = new Set<string>()

  return {
    sessions,
    findings: runLines(place, 'findings'),
    settlements: runLines(place, 'settlements'),
    sweeps: sweepStore(sweepFiles, sessions, runFacts(place)),
    open: async (manifest) => tracked(await openRun(place, manifest), writers),
    async resume(runId) {
      const { writer, ...stored } = await resumeRun(place, runId)
      return { ...stored, writer: tracked(writer, writers) }
    },
    save: (run) => saveRun(place, savedRecord(run)).then(() => undefined),
    load: (id) => loadRun(place, id),
    overview: (id) => readFrom(place, id, readOverview),
    list: (query) => listRuns(place, query),
    async mostRecent(experimentName, query) {
      const checked = checkQuery({ ...query, experimentName })
      const newest = newestEntry(await entriesOf(experimentDirectory(place, experimentName), place), checked)
      return newest && (await loadRun(place, newest.id))
    },
    remove: (id) => removeRun(place, id, tidied),
    exclude: (id, reason) => excludeRun(place, id, reason),
    files: (id) => filesOf(place, id),
    async [Symbol.asyncDispose]() {
      for (const writer of writers) await writer.release()
    },
  }
}

/** Lines in a file beside the record of a run. */
function runLines(place: ResultsDirectory, kind: 'findings' | 'settlements'): RunLines {
  const directoryOf = ({ experimentName }: StoredRunName) => experimentDirectory(place, experimentName)
  const pathOf = (run: StoredRunName) => join(directoryOf(run), checkRunId(run.id), `${kind}.jsonl`)
  return {
    read: (run) =>
      onDisk('read', pathOf(run), async () => (await ifThere(regularFileText(pathOf(run)), isNowhere)) ?? ''),
    append: (run, lines) => onDisk('write', pathOf(run), () => appendFile(pathOf(run), lines)),
    replace: (run, lines) => replaceFile(pathOf(run), lines, { sync: place.sync, temporary: directoryOf(run) }),
  }
}

async function filesOf(place: ResultsDirectory, id: string): Promise<readonly KeptFile[]> {
  const paths = await findRun(place, id)
  return paths === undefined ? [] : onDisk('read', paths.directory, () => filesBelow(paths.directory))
}

/** The address of a database would make a directory of that name. */
function refuseAddress(directory: string): void {
  if (!/^postgres(ql)?:\/\//i.test(directory)) return
  optionInvalid(
    'store',
    'The address of a database cannot be the directory of results. Pass a store: postgresStore(address) of jurist/postgres.',
  )
}

function warnOnStderr(message: string): void {
  process.emitWarning(message, { type: 'JuristWarning' })
}

type Reading<Run> = (paths: RunPaths, held: boolean, warn: (message: string) => void) => Promise<Run | undefined>

async function loadRun(place: ResultsDirectory, id: string): Promise<ExperimentResult | undefined> {
  return await readFrom(place, id, async (paths, held, warn) => {
    const run = await readRun(paths, warn)
    return run && storedResult(run.head, run.items, held)
  })
}

async function readFrom<Run>(place: ResultsDirectory, id: string, read: Reading<Run>): Promise<Run | undefined> {
  const paths = await findRun(place, id)
  if (paths === undefined) return undefined
  return await onDisk('read', paths.directory, async () => {
    // Asked first: a run that ends while it is read has ended.
    const held = (await holderOf(paths.lock, place.lockStaleMs)) !== undefined
    return await read(paths, held, place.warn)
  })
}

async function* listRuns(place: ResultsDirectory, query: RunQuery | undefined): AsyncGenerator<RunEntry> {
  const checked = checkQuery(query)
  const { experimentName } = checked
  const directories =
    experimentName === undefined ? await experimentDirectories(place) : [experimentDirectory(place, experimentName)]
  const entries: RunEntry[] = []
  for (const directory of directories) entries.push(...(await entriesOf(directory, place)))
  yield* selectEntries(entries, checked)
}

/** @param tidied the experiments whose earlier removals were finished here */
async function removeRun(place: ResultsDirectory, id: string, tidied: Set<string>): Promise<boolean> {
  const paths = await findRun(place, id)
  if (paths === undefined) return false
  const lock = await lockRun(place, paths, id)
  try {
    await removeRunDirectory(paths)
    const experiment = join(paths.directory, '..')
    if (!tidied.has(experiment)) await finishRemovals(experiment)
    tidied.add(experiment)
    return true
  } finally {
    await lock.release()
  }
}

async function excludeRun(place: ResultsDirectory, id: string, reason: string | null): Promise<boolean> {
  const paths = await findRun(place, id)
  if (paths === undefined) return false
  if (reason === null) await onDisk('change', paths.excluded, () => removeExclusion(paths))
  else {
    const text = `${JSON.stringify({ reason, at: new Date().toISOString() })}\n`
    await replaceFile(paths.excluded, text, writingFor(place, paths))
  }
  await remember(paths, place)
  return true
}

function runFacts(place: ResultsDirectory): RunFacts {
  return async function factsOf(runId) {
    const paths = isRunId(runId) ? await findRun(place, runId) : undefined
    const run = paths && (await readRun(paths, place.warn))
    return run && { gitCommit: run.head.code.gitCommit, excluded: (await exclusionOf(paths)) !== null }
  }
}

/**
 * The files below a directory, with their sizes. A link counts as a file; files that disappear meanwhile are left out.
 */
async function filesBelow(directory: string): Promise<readonly KeptFile[]> {
  const files: KeptFile[] = []
  const left = [directory]
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    const place = at
    const entries = await ifThere(readdir(place, { withFileTypes: true }), isNowhere)
    for (const entry of entries ?? []) {
      const path = join(place, entry.name)
      if (entry.isDirectory()) left.push(path)
      else {
        const found = await ifThere(lstat(path), isNowhere)
        if (found !== undefined) files.push({ path: relative(directory, path).replaceAll(sep, '/'), bytes: found.size })
      }
    }
  }
  return files
}
