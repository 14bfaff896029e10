/**
 * Where runs, sessions and sweeps are kept.
 */
import '../errors.js'

export { cassetteFile } from './cassette-file.js'
export { datasetDirectory } from './dataset-directory.js'
export { fileCache } from './file-cache.js'
export { type FileStoreOptions, fileStore } from './file-store.js'
export { memoryStore } from './memory-store.js'
export { isRunId, newRunId } from './names.js'
export * from './sessions.js'
export type * from './store.js'
export * from './sweeps.js'
