import { fileStore } from '../store/file-store.js'
import { memoryStore } from '../store/memory-store.js'
import type { ResultStore } from '../store/store.js'
import type { ExperimentOptions } from './experiment.js'

/** The store of an experiment; one that is made here is closed here. */
export function storeOf({ store = memoryStore() }: Pick<ExperimentOptions, 'store'>): {
  readonly store: ResultStore
  readonly close: () => Promise<void>
} {
  if (typeof store !== 'string') return { store, close: async () => {} }
  const files = fileStore(store)
  return { store: files, close: async () => files[Symbol.asyncDispose]() }
}
