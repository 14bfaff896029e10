import { figuresOf } from '../result/item-figures.js'
import type { ItemResult, RunRecord } from '../result/records.js'
import { overviewOf } from '../result/summarize.js'
import { chosenItems, type RunOverview } from '../result/trial-figures.js'
import type { Documents } from './documents.js'
import { checkRunId, checkSafeName, runExists, runLocked, runUnknown, writerClosed } from './names.js'
import {
  currentHead,
  endedHead,
  entryOf,
  headOf,
  inResultOrder,
  manifestOf,
  type RunHead,
  recordOf,
  runningHead,
  storedResult,
} from './run-head.js'
import { checkQuery, newestEntry, selectEntries } from './run-query.js'
import { sessionStore } from './sessions.js'
import type { ResultStore, RunEntry, RunManifest, RunWriter } from './store.js'
import { sweepStore } from './sweeps.js'

interface StoredRun {
  head: RunHead
  items: ItemResult[]
  /** Whether a writer holds the run. */
  held: boolean
  excluded: string | null
}

/**
 * A store for tests and for runs that need not outlive the process, with the contract of `fileStore`. Values are copied
 * and deeply frozen both ways, so that nothing is shared with the caller.
 *
 * @example
 * import { completed, runExperiment } from '@jurist/experiment'
 * import { memoryStore } from '@jurist/experiment/store'
 *
 * const store = memoryStore()
 * const agent = async () => completed('2')
 * await runExperiment({ name: 'sums', dataset: [{ task: 'What is 1 + 1?' }], agent, store }).result
 * const latest = await store.mostRecent('sums')
 */
export function memoryStore(): ResultStore {
  const runs = new Map<string, StoredRun>()
  const find = (id: string) => runs.get(checkRunId(id))
  const entries = (): readonly RunEntry[] => [...runs.values()].map(entryOfRun)
  const sessions = sessionStore(memoryDocuments())
  const sweeps = sweepStore(memoryDocuments(), sessions, async (runId) => {
    const run = runs.get(runId)
    return run && { gitCommit: run.head.code.gitCommit, excluded: run.excluded !== null }
  })

  return {
    sessions,
    sweeps,
    open: async (manifest) => writerOf(openRun(runs, manifest)),
    async resume(id) {
      const run = find(id) ?? runUnknown(id)
      if (run.held) runLocked(id)
      run.held = true
      return { manifest: frozen(manifestOf(run.head)), items: resultOfRun(run).items, writer: writerOf(run) }
    },
    save: async (run) => saveRun(runs, run),
    async load(id) {
      const run = find(id)
      return run && resultOfRun(run)
    },
    async overview(id) {
      const run = find(id)
      return run && overviewOfRun(run)
    },
    async *list(query) {
      yield* selectEntries(entries(), checkQuery(query))
    },
    async mostRecent(experimentName, query) {
      const checked = checkQuery({ ...query, experimentName: checkSafeName(experimentName, 'an experiment') })
      const run = runs.get(newestEntry(entries(), checked)?.id ?? '')
      return run && resultOfRun(run)
    },
    async remove(id) {
      if (find(id)?.held === true) runLocked(id)
      return runs.delete(id)
    },
    async exclude(id, reason) {
      const run = find(id)
      if (run !== undefined) run.excluded = reason
      return run !== undefined
    },
    async [Symbol.asyncDispose]() {
      for (const run of runs.values()) run.held = false
    },
  }
}

function openRun(runs: Map<string, StoredRun>, manifest: RunManifest): StoredRun {
  const id = checkRunId(manifest.id)
  checkSafeName(manifest.experimentName, 'an experiment')
  if (runs.has(id)) runExists(id)
  const run: StoredRun = { head: kept(runningHead(manifest)), items: [], held: true, excluded: null }
  runs.set(id, run)
  return run
}

function saveRun(runs: Map<string, StoredRun>, run: RunRecord): void {
  const id = checkRunId(run.id)
  checkSafeName(run.experimentName, 'an experiment')
  const earlier = runs.get(id)
  if (earlier?.held === true) runLocked(id)
  const excluded = earlier?.excluded ?? null
  runs.set(id, { head: kept(headOf(run)), items: run.items.map(kept), held: false, excluded })
}

function writerOf(run: StoredRun): RunWriter {
  let open = true
  function mustBeOpen(): void {
    if (!open || !run.held) writerClosed(run.head.id)
  }
  function begin(): void {
    mustBeOpen()
    run.head = frozen(runningHead(run.head))
  }
  function close(): void {
    if (open) run.held = false
    open = false
  }
  return {
    runId: run.head.id,
    directory: null,
    async append(item) {
      begin()
      run.items.push(kept(item))
    },
    async extend(plan) {
      begin()
      run.head = kept({ ...run.head, ...plan })
    },
    async finish(end) {
      mustBeOpen()
      run.head = kept(endedHead(run.head, end))
      close()
      return overviewOfRun(run)
    },
    async release() {
      close()
    },
  }
}

function resultOfRun({ head, items, held }: StoredRun) {
  return frozen(storedResult(head, items, held))
}

function overviewOfRun(run: StoredRun): RunOverview {
  const { items } = resultOfRun(run)
  const record = recordOf(currentHead(run.head, items, run.held))
  return frozen(
    overviewOf({ ...record, trials: items.map(figuresOf), readItems: async (trials) => chosenItems(items, trials) }),
  )
}

function entryOfRun({ head, items, held, excluded }: StoredRun): RunEntry {
  const ordered = inResultOrder(items, head)
  return frozen(entryOf(currentHead(head, ordered, held), ordered, excluded))
}

function memoryDocuments<Document>(): Documents<Document> {
  const documents = new Map<string, Map<string, Document>>()
  let changed: Promise<unknown> = Promise.resolve()
  return {
    async read(experimentName, name) {
      return documents.get(experimentName)?.get(name)
    },
    change(experimentName, name, change) {
      // One after the other: `change` may wait.
      const next = changed.then(async () => {
        const named = documents.get(experimentName) ?? new Map<string, Document>()
        const document = kept(await change(named.get(name)))
        documents.set(experimentName, named.set(name, document))
        return document
      })
      changed = next.catch(() => undefined)
      return next
    },
    async remove(experimentName, name) {
      await changed
      return documents.get(experimentName)?.delete(name) ?? false
    },
    async all(experimentName) {
      return [...(documents.get(experimentName)?.values() ?? [])]
    },
  }
}

/** A deeply frozen copy of `value`, as a file would return it. */
function kept<Value>(value: Value): Value {
  return frozen(JSON.parse(JSON.stringify(value)) as Value)
}

/** Freezes `value` deeply. Objects that are frozen already are assumed to be deeply frozen. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

/** A store in use; `close` ends one that was made here. */
export interface OpenedStore {
  readonly store: ResultStore
  readonly close: () => Promise<void>
}

/** The store that a caller gives, or one of the files in a directory. Default: in memory. */
export function openedStore(
  { store = memoryStore() }: { readonly store?: ResultStore | string },
  fileStore: (directory: string) => ResultStore & AsyncDisposable,
): OpenedStore {
  if (typeof store !== 'string') return { store, close: async () => {} }
  const files = fileStore(store)
  return { store: files, close: async () => files[Symbol.asyncDispose]() }
}
