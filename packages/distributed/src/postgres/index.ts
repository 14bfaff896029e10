/**
 * Results in PostgreSQL, and trials that many processes share.
 *
 * @example
 * import { postgresStore } from '@jurist/distributed/postgres'
 *
 * await using store = postgresStore('postgres://jurist@localhost/results')
 * const latest = await store.mostRecent('add-readme')
 */
export { type ArtifactKey, type ArtifactRef, type ArtifactStore, directoryArtifacts } from './artifact-store.js'
export type { PostgresClient, PostgresConnection, PostgresPool, PostgresResult } from './pool.js'
export { postgresQueue } from './postgres-queue.js'
export { type PostgresStore, postgresStore } from './postgres-store.js'
export type { PostgresStoreOptions } from './store-options.js'
