/**
 * Where runs, sessions and sweeps are kept.
 */
import '../errors.js'

export { cassetteFile } from './cassette-file.js'
export { fileCache } from './file-cache.js'
export { fileStore } from './file-store.js'
export { memoryStore } from './memory-store.js'
export type { RunSession, SessionStore } from './sessions.js'
export type * from './store.js'
export { type Sweep, type SweepStore, sweepStatus } from './sweeps.js'
