import { JuristError } from '@jurist/core'
import type * as v from 'valibot'
import type { RunRecord } from '../result/records.js'
import { type RunOverview, trialKey } from '../result/trial-figures.js'
import { sessionSchema, sweepSchema } from '../store/document-schemas.js'
import type { Documents } from '../store/documents.js'
import { checkRunId, checkSafeName, isRunId, runExists, runLocked, runUnknown, writerClosed } from '../store/names.js'
import {
  checkQuery,
  endedHead,
  entryOf,
  headOf,
  inResultOrder,
  manifestOf,
  newestEntry,
  type RunHead,
  runningHead,
  selectEntries,
} from '../store/run-head.js'
import { sessionStore } from '../store/sessions.js'
import type { ResultStore, RunLines, RunManifest, RunWriter, StoredRunName } from '../store/store.js'
import { readRecord } from '../store/stored-record.js'
import { sweepStore } from '../store/sweeps.js'
import {
  checkedNames,
  distinctRows,
  entriesOf,
  headIn,
  itemsFrom,
  loadRun,
  overviewFrom,
  runningRow,
  trialRow,
} from './read-runs.js'
import type { HeadRow, Refusal, RunHold, RunLinesKind, StoreBackend, TrialRow } from './store-backend.js'

/**
 * A result store over a backend: the backend keeps strings, and everything else is done here. Test it with
 * `resultStoreContract`. Guide: docs/guide/extending.md.
 *
 * @throws every function: what the backend throws; `record-invalid` for damaged records
 *
 * @example
 * import { type StoreBackend, storeOver } from '@jurist/experiment/store-kit'
 *
 * declare function myBackend(address: string): StoreBackend
 *
 * await using store = storeOver(myBackend('my-database'))
 * for await (const { id, passRate } of store.list()) console.log(id, passRate)
 */
export function storeOver(backend: StoreBackend): ResultStore {
  const writers = new Set<RunWriter>()
  const sessions = sessionStore(textDocuments(backend.documents('sessions'), 'sessions', sessionSchema))
  const sweepDocuments = textDocuments(backend.documents('sweeps'), 'sweeps', sweepSchema)
  const sweeps = sweepStore(sweepDocuments, sessions, async (id) => {
    const run = isRunId(id) ? await backend.read(id, 'nothing') : undefined
    return run && { gitCommit: headIn(id, run).code.gitCommit, excluded: run.excluded !== null }
  })
  return {
    sessions,
    sweeps,
    labels: runLines(backend, 'labels'),
    findings: runLines(backend, 'findings'),
    settlements: runLines(backend, 'settlements'),
    open: async (manifest) => tracked(await openRun(backend, manifest), writers),
    async resume(id) {
      const { writer, ...stored } = await resumeRun(backend, id)
      return { ...stored, writer: tracked(writer, writers) }
    },
    save: (run) => saveRun(backend, run),
    load: async (id) => loadRun(backend, checkRunId(id)),
    async overview(id) {
      const run = await backend.read(checkRunId(id), 'figures')
      return run && (await overviewFrom(backend, headIn(id, run), run))
    },
    async *list(query) {
      const checked = checkQuery(query)
      yield* selectEntries(await entriesOf(backend, checked.experimentName), checked)
    },
    async mostRecent(experimentName, query) {
      const checked = checkQuery({ ...query, experimentName: checkSafeName(experimentName, 'an experiment') })
      const newest = newestEntry(await entriesOf(backend, experimentName), checked)
      return newest && (await loadRun(backend, newest.id))
    },
    async remove(id) {
      const refusal = await backend.remove(checkRunId(id))
      if (refusal?.refused === 'unknown') return false
      if (refusal !== undefined) refuse(id, refusal)
      return true
    },
    exclude: async (id, reason) => backend.exclude(checkRunId(id), reason),
    async [Symbol.asyncDispose]() {
      for (const writer of writers) await writer.release()
      await backend.close()
    },
  }
}

/** The writer, in `writers` as long as it has its run. */
export function tracked(writer: RunWriter, writers: Set<RunWriter>): RunWriter {
  writers.add(writer)
  return {
    ...writer,
    async finish(end) {
      const result = await writer.finish(end)
      writers.delete(writer)
      return result
    },
    async release() {
      writers.delete(writer)
      await writer.release()
    },
  }
}

async function openRun(backend: StoreBackend, manifest: RunManifest): Promise<RunWriter> {
  const row = runningRow(manifest)
  const hold = await backend.add(row)
  return writerOf(backend, accepted(row.id, hold), runningHead(manifest), true)
}

async function resumeRun(backend: StoreBackend, id: string): ReturnType<ResultStore['resume']> {
  const hold = accepted(checkRunId(id), await backend.hold(id))
  try {
    const run = (await backend.read(id, 'records')) ?? runUnknown(id)
    const head = headIn(id, run)
    const manifest = manifestOf(head)
    const items = inResultOrder(itemsFrom(id, run.trials), manifest)
    return { manifest, items, writer: writerOf(backend, hold, runningHead(manifest), head.status === 'running') }
  } catch (thrown) {
    await hold.release()
    throw thrown
  }
}

function writerOf(backend: StoreBackend, hold: RunHold, head: RunHead, begun: boolean): RunWriter {
  async function overview(last: RunHead) {
    const run = (await backend.read(last.id, 'figures')) ?? runUnknown(last.id)
    return await overviewFrom(backend, last, { ...run, held: false })
  }
  return writerOver({ hold, head, begun, overview })
}

function accepted(id: string, given: RunHold | Refusal): RunHold {
  return 'refused' in given ? refuse(id, given) : given
}

function refuse(id: string, refusal: Refusal): never {
  if (refusal.refused === 'locked') return runLocked(id, refusal.holder)
  return refusal.refused === 'exists' ? runExists(id) : runUnknown(id)
}

async function saveRun(backend: StoreBackend, run: RunRecord): Promise<void> {
  const { id, experimentName, items } = checkedNames(run)
  const head = headOf(run)
  const trials = distinctRows(items.map(trialRow))
  const entry = head.status === 'running' ? null : JSON.stringify(entryOf(head, inResultOrder(items, head), null))
  const refusal = await backend.replace({ id, experimentName, head: JSON.stringify(head), entry, trials })
  if (refusal !== undefined) refuse(id, refusal)
}

/** Documents over strings of JSON, checked when they are read. */
function textDocuments<Document extends object>(
  texts: Documents<string>,
  kind: string,
  schema: v.GenericSchema<unknown, Document>,
): Documents<Document> {
  const read = (text: string, name: string) => readRecord(schema, text, `${kind}/${name}`)
  return {
    async read(experimentName, name) {
      const text = await texts.read(experimentName, name)
      return text === undefined ? undefined : read(text, name)
    },
    async change(experimentName, name, change) {
      const text = await texts.change(experimentName, name, async (current) => {
        const next = await change(current === undefined ? undefined : read(current, name))
        return JSON.stringify({ schemaVersion: 1, ...next })
      })
      return read(text, name)
    },
    remove: texts.remove,
    async all(experimentName) {
      return (await texts.all(experimentName)).map((text) => read(text, experimentName))
    },
  }
}

function runLines(backend: StoreBackend, kind: RunLinesKind): RunLines {
  const texts = backend.documents(kind)
  const placeOf = ({ id, experimentName }: StoredRunName) =>
    [checkSafeName(experimentName, 'an experiment'), checkRunId(id)] as const
  return {
    read: async (run) => (await texts.read(...placeOf(run))) ?? '',
    async append(run, lines) {
      await texts.change(...placeOf(run), (known = '') => `${known}${lines}`)
    },
    async replace(run, lines) {
      await texts.change(...placeOf(run), () => lines)
    },
  }
}

interface Writing {
  readonly hold: RunHold
  readonly head: RunHead
  /** Whether the stored head has the status `running`. If not, the head is rewritten with the first trial. */
  readonly begun: boolean
  /** Reads the overview of the run as one that no writer holds. */
  readonly overview: (head: RunHead) => Promise<RunOverview>
}

/** The writer of a run that is held. */
function writerOver({ hold, head: first, begun: begunBefore, overview }: Writing): RunWriter {
  const { id } = first
  let head = first
  let begun = begunBefore
  let open = true
  const batches = rowBatches((trials) => write(trials, begun ? undefined : row(head)))

  async function write(trials: readonly TrialRow[], changed: HeadRow | undefined): Promise<void> {
    const change = changed === undefined ? { trials } : { trials, head: changed }
    if (!(await hold.write(change))) throwTakenOver(id)
    begun = true
  }

  function mustBeOpen(): void {
    if (!open) writerClosed(id)
  }

  return {
    runId: id,
    directory: null,
    async append(item) {
      mustBeOpen()
      await batches.add(trialRow(item))
    },
    async extend(plan) {
      mustBeOpen()
      await batches.idle()
      head = { ...head, ...plan }
      await write([], row(head))
    },
    async finish(end) {
      mustBeOpen()
      open = false
      await batches.idle()
      const last = endedHead(head, end)
      try {
        const result = await overview(last)
        await write([], { head: JSON.stringify(last), entry: JSON.stringify(entryOf(last, result.trials, null)) })
        return result
      } finally {
        await hold.release()
      }
    },
    async release() {
      if (!open) return
      open = false
      await batches.idle()
      await hold.release()
    },
  }
}

/** The row of the head of a run that is running. */
function row(head: RunHead): HeadRow {
  return { head: JSON.stringify(runningHead(head)), entry: null }
}

function throwTakenOver(id: string): never {
  throw new JuristError(
    'store-failed',
    `Run ${id} was taken over by another process, as this one was silent for too long. Resume it when that one has ended.`,
    { path: id },
  )
}

interface Waiting {
  readonly row: TrialRow
  readonly stored: () => void
  readonly failed: (thrown: unknown) => void
}

/** Rows on their way to a backend: those that come while others are written go out together. */
interface RowBatches {
  add(row: TrialRow): Promise<void>
  /** Resolves when no row is on its way. */
  idle(): Promise<void>
}

const maxRows = 100
const maxLength = 8 * 1024 * 1024

/** Batches of rows, no two of the same trial in one batch. */
function rowBatches(write: (rows: readonly TrialRow[]) => Promise<void>): RowBatches {
  let waiting: readonly Waiting[] = []
  let writing: Promise<void> | undefined

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSize(waiting))
      waiting = waiting.slice(batch.length)
      try {
        await write(batch.map(({ row }) => row))
        for (const { stored } of batch) stored()
      } catch (thrown) {
        for (const { failed } of batch) failed(thrown)
      }
    }
    writing = undefined
  }

  return {
    add: (row) =>
      new Promise((stored, failed) => {
        waiting = [...waiting, { row, stored, failed }]
        writing ??= drain()
      }),
    async idle() {
      await writing
    },
  }
}

/** How many of those that wait may go out together. */
function batchSize(waiting: readonly Waiting[]): number {
  const seen = new Set<string>()
  let length = 0
  for (const { row } of waiting) {
    length += row.record.length
    if (seen.size === maxRows || seen.has(trialKey(row)) || (seen.size > 0 && length > maxLength)) break
    seen.add(trialKey(row))
  }
  return seen.size
}
