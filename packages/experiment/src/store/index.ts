/**
 * Where runs, sessions and sweeps are kept.
 */
import '../errors.js'

export { type FileStoreOptions, fileStore } from './file-store.js'
export { memoryStore } from './memory-store.js'
export * from './sessions.js'
export type * from './store.js'
export * from './sweeps.js'
