/**
 * Results in PostgreSQL.
 *
 * @example
 * import { postgresStore } from '@jurist/postgres'
 *
 * await using store = postgresStore('postgres://jurist@localhost/results')
 * const latest = await store.mostRecent('add-readme')
 */
export type { PostgresClient, PostgresPool, PostgresResult } from './pool.js'
export { type PostgresStoreOptions, postgresStore } from './postgres-store.js'
