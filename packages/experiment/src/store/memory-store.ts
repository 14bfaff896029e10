import { trialKey } from '../result/trial-figures.js'
import type {
  ListedRun,
  NewRun,
  ReadRun,
  Refusal,
  RunHold,
  StoreBackend,
  TrialRow,
} from '../store-kit/store-backend.js'
import { storeOver } from '../store-kit/store-over.js'
import type { Documents } from './documents.js'
import type { ResultStore } from './store.js'

/**
 * A store for tests and for runs that need not outlive the process, with the contract of `fileStore`. It keeps strings, as a
 * database does, so that nothing is shared with the caller.
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
  return storeOver(memoryBackend())
}

interface MemoryRun extends NewRun {
  head: string
  entry: string | null
  readonly trials: Map<string, TrialRow>
  held: boolean
  excluded: string | null
}

const unknown: Refusal = { refused: 'unknown' }
const locked: Refusal = { refused: 'locked' }

function memoryBackend(): StoreBackend {
  const runs = new Map<string, MemoryRun>()
  const kinds = {
    ...{ sessions: memoryDocuments(), sweeps: memoryDocuments() },
    ...{ labels: memoryDocuments(), findings: memoryDocuments(), settlements: memoryDocuments() },
  }
  return {
    async add(run) {
      if (runs.has(run.id)) return { refused: 'exists' }
      const added: MemoryRun = { ...run, trials: new Map(), held: false, excluded: null }
      runs.set(run.id, added)
      return holdOf(added)
    },
    async hold(id) {
      const run = runs.get(id)
      if (run === undefined) return unknown
      return run.held ? locked : holdOf(run)
    },
    async replace({ trials, ...run }) {
      const known = runs.get(run.id)
      if (known?.held) return locked
      const byName = new Map(trials.map((trial) => [trialKey(trial), trial]))
      runs.set(run.id, { ...run, trials: byName, held: false, excluded: known?.excluded ?? null })
      return undefined
    },
    async read(id, texts) {
      const run = runs.get(id)
      return run && readRun(run, texts)
    },
    async records(id, trials) {
      return trials.flatMap((trial) => runs.get(id)?.trials.get(trialKey(trial))?.record ?? [])
    },
    async list(experimentName) {
      const all: readonly (ListedRun & NewRun)[] = [...runs.values()]
      return experimentName === undefined ? all : all.filter((run) => run.experimentName === experimentName)
    },
    async remove(id) {
      const run = runs.get(id)
      if (run === undefined) return unknown
      if (run.held) return locked
      for (const lines of [kinds.labels, kinds.findings, kinds.settlements]) await lines.remove(run.experimentName, id)
      runs.delete(id)
      return undefined
    },
    async exclude(id, reason) {
      const run = runs.get(id)
      if (run !== undefined) run.excluded = reason
      return run !== undefined
    },
    documents: (kind) => kinds[kind],
    close: async () => undefined,
  }
}

function holdOf(run: MemoryRun): RunHold {
  run.held = true
  return {
    async write({ trials, head }) {
      Object.assign(run, head)
      for (const trial of trials)
        if (run.trials.get(trialKey(trial))?.decided !== true) run.trials.set(trialKey(trial), trial)
      return true
    },
    async release() {
      run.held = false
    },
  }
}

function readRun({ head, held, excluded, trials }: MemoryRun, texts: 'records' | 'figures' | 'nothing'): ReadRun {
  if (texts === 'nothing') return { head, held, excluded, trials: [] }
  const column = texts === 'records' ? 'record' : 'figures'
  return { head, held, excluded, trials: Array.from(trials.values(), (trial) => trial[column]) }
}

function memoryDocuments(): Documents<string> {
  const texts = new Map<string, string>()
  return {
    read: async (experimentName, name) => texts.get(`${experimentName}/${name}`),
    async change(experimentName, name, change) {
      const key = `${experimentName}/${name}`
      // Again when another change was quicker, as with a database.
      for (;;) {
        const current = texts.get(key)
        const next = await change(current)
        if (texts.get(key) !== current) continue
        texts.set(key, next)
        return next
      }
    },
    remove: async (experimentName, name) => texts.delete(`${experimentName}/${name}`),
    async all(experimentName) {
      return [...texts].flatMap(([key, text]) => (key.startsWith(`${experimentName}/`) ? [text] : []))
    },
  }
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
