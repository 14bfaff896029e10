/**
 * Results in PostgreSQL, and the queue of trials of the same database. It needs the package `pg`, and a queue `pg-boss`.
 *
 * @example
 * import { postgresStore } from 'jurist/postgres'
 *
 * const store = postgresStore('postgres://jurist@localhost/results')
 */
export * from '@jurist/distributed/postgres'
