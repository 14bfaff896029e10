/** Stores of runs, sessions and sweeps. */
import '../errors.js'

export { cassetteFile } from './cassette-file.js'
export { fileCache } from './file-cache.js'
export { type FileStoreOptions, fileStore } from './file-store.js'
export { memoryStore } from './memory-store.js'
export type { RunSession, SessionStore, VariantEntry } from './sessions.js'
export type * from './store.js'
export { type Resolution, type Sweep, type SweepStore, sweepStatus } from './sweeps.js'
