import { JuristError } from '@jurist/core'
import type { PostgresClient } from './pool.js'

/** The schema that this version reads and writes: the number of its steps. */
export const currentVersion = 2

/** The statements of one step; a step that was released is never changed. */
const steps: readonly ((schema: string) => readonly string[])[] = [
  (schema) => [
    `create table ${schema}.runs (
      id text primary key,
      experiment text not null,
      head text not null,
      entry text,
      excluded text,
      holder uuid,
      holder_process text,
      held_until timestamptz
    )`,
    `create index runs_experiment on ${schema}.runs (experiment)`,
    `create table ${schema}.trials (
      run text not null references ${schema}.runs on delete cascade,
      trial text not null,
      place bigint generated always as identity,
      decided boolean not null,
      record text not null,
      figures text not null,
      primary key (run, trial)
    )`,
    `create index trials_place on ${schema}.trials (run, place)`,
    `create table ${schema}.documents (
      kind text not null,
      experiment text not null,
      name text not null,
      body text not null,
      primary key (kind, experiment, name)
    )`,
    `create table ${schema}.files (
      run text not null,
      path text not null,
      packing text not null,
      bytes bigint not null,
      sha256 text not null,
      reference text not null,
      primary key (run, path)
    )`,
    `create table ${schema}.file_parts (
      run text not null,
      reference text not null,
      part integer not null,
      content bytea not null,
      primary key (run, reference, part)
    )`,
  ],
  (schema) => [
    `alter table ${schema}.runs add column queued boolean not null default false`,
    `alter table ${schema}.trials add column lease text`,
    `create table ${schema}.queue_runs (
      run text primary key references ${schema}.runs on delete cascade,
      queue text not null,
      plan text not null,
      spent text not null,
      earlier_ms double precision not null,
      timeout_ms double precision,
      planned_at timestamptz not null default now(),
      stop_reason text,
      stop_message text
    )`,
    `create table ${schema}.queue_trials (
      run text not null references ${schema}.queue_runs on delete cascade,
      trial text not null,
      name text not null,
      priority integer not null,
      job uuid not null unique,
      state text not null default 'ready' check (state in ('ready', 'leased', 'stored')),
      lease text unique,
      attempt integer,
      call uuid,
      worker text,
      leased_at timestamptz,
      held_until timestamptz,
      losses jsonb not null default '[]',
      primary key (run, trial)
    )`,
    `create index queue_trials_state on ${schema}.queue_trials (run, state)`,
    `create index queue_trials_worker on ${schema}.queue_trials (worker) where state = 'leased'`,
    `create table ${schema}.queue_workers (
      id text primary key,
      report text not null,
      seen_at timestamptz not null default now()
    )`,
    `create table ${schema}.queue_buckets (
      name text primary key,
      permits double precision not null,
      filled_at timestamptz not null
    )`,
  ],
]

/** The properties of a database that a store depends on. */
export interface DatabaseState {
  /** The version of the server, such as 150018. */
  readonly server: number
  readonly encoding: string
  /** The version of the schema; 0 without one. */
  readonly version: number
}

/** Looks at a database. `schema`: the quoted name. */
export async function databaseState(client: Pick<PostgresClient, 'query'>, schema: string): Promise<DatabaseState> {
  const asked = `select current_setting('server_version_num')::int as server, current_setting('server_encoding') as encoding,
    exists (select from pg_tables where schemaname = $1 and tablename = 'steps') as known`
  // Not to_regclass: it may not see what another process made while this one waited for its lock.
  const { rows } = await client.query(asked, [schema.replaceAll('"', '')])
  const { server, encoding, known } = rows[0] as { server: number; encoding: string; known: boolean }
  if (!known) return { server, encoding, version: 0 }
  const found = await client.query(`select coalesce(max(step), 0)::int as version from ${schema}.steps`)
  return { server, encoding, ...(found.rows[0] as { version: number }) }
}

/**
 * Brings the schema to the current version, step by step, in one transaction; of several processes one does so.
 *
 * @returns the version before
 * @throws `store-failed` for a schema of a newer version, and for a database that cannot hold one
 */
export async function migrateSchema(client: PostgresClient, schema: string, address: string): Promise<number> {
  await client.query('begin')
  try {
    await client.query('select pg_advisory_xact_lock(hashtext($1))', [`jurist/${schema}`])
    const state = await databaseState(client, schema)
    checkState(state, address)
    const { version } = state
    if (version === 0) {
      await client.query(`create schema if not exists ${schema}`)
      await client.query(
        `create table if not exists ${schema}.steps (step integer primary key, applied_at timestamptz not null default now())`,
      )
    }
    for (const [index, statements] of steps.entries()) {
      if (index < version) continue
      for (const statement of statements(schema)) await client.query(statement)
      await client.query(`insert into ${schema}.steps (step) values ($1)`, [index + 1])
    }
    await client.query('commit')
    return version
  } catch (thrown) {
    await client.query('rollback').catch(() => undefined)
    throw thrown
  }
}

/**
 * Refuses a database that this version cannot use.
 *
 * @throws `store-failed`
 */
export function checkState({ server, encoding, version }: DatabaseState, address: string): void {
  if (server < 130_000)
    refuse(address, `is PostgreSQL ${Math.floor(server / 10_000)}, and 13 or newer is needed. Use a newer server.`)
  if (encoding !== 'UTF8')
    refuse(address, `has the encoding ${encoding}, and results are UTF-8. Create one with the encoding UTF8.`)
  if (version > currentVersion)
    refuse(
      address,
      `has schema version ${version}, which a newer version made; this one reads ${currentVersion}. Install a newer Jurist.`,
    )
}

function refuse(address: string, problem: string): never {
  throw new JuristError('store-failed', `The database ${address} ${problem}`, { path: address })
}
