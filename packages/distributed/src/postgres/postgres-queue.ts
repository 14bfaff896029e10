import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Json, JuristError } from '@jurist/core'
import { checkOptions } from '@jurist/core/internal'
import { runLocked, runningRow, trialRow } from '@jurist/experiment/internal'
import type { TrialName } from '@jurist/experiment/internal/results'
import type { ItemResult } from '@jurist/experiment/result'
import type { RunManifest } from '@jurist/experiment/store'
import {
  type PlannedRun,
  type SeenWorker,
  storeOver,
  type TrialQueue,
  type TrialRow,
  type WorkerReport,
  withTrial,
} from '@jurist/experiment/store-kit'
import { semaphore } from '@jurist/kit/semaphore'
import type { ArtifactRef } from './artifact-store.js'
import { postgresBackend } from './backend.js'
import { type Database, database, type Rows } from './database.js'
import type { PostgresPool } from './pool.js'
import { queueJobs } from './queue-jobs.js'
import { queueLeases } from './queue-leases.js'
import { queueProgress, stopDecided, tending } from './queue-progress.js'
import { type LockedRun, lockedRun, type QueueParts, runOfLease } from './queue-run.js'
import { type HolderColumns, holderColumns, isHeld, locked, trialKey } from './run-rows.js'
import { filePlaces, type PostgresStoreOptions, storeRules } from './store-options.js'
import { type FileRow, noteFile, putTrialFiles } from './trial-files.js'

/**
 * A queue in the database of a `postgresStore`, into which its results go. [pg-boss](https://github.com/timgit/pg-boss)
 * delivers the trials, in its own schema beside that of the store; a result is stored in one transaction that asks
 * whether its lease is still held.
 *
 * @param address an address such as `postgres://user@host/name`, or a `Pool` of `pg`, which stays the caller's to end
 * @throws every function: `store-failed` when the database fails, or without the package `pg-boss`
 *
 * @example
 * import { postgresQueue } from '@jurist/distributed/postgres'
 *
 * await using queue = postgresQueue('postgres://jurist@localhost/results')
 * for (const { id, trials } of await queue.workers()) console.log(id, trials.length)
 */
export function postgresQueue(address: string | PostgresPool, options?: PostgresStoreOptions): TrialQueue {
  const {
    schema = 'jurist',
    leaseMs = 60_000,
    heartbeatMs = 20_000,
    project,
    ...files
  } = checkOptions('postgresQueue', options, storeRules)
  const opened = database(address, schema, project)
  // Those of a queue wait for each other anyway. A process that is stopped then waits for one lock, which it holds up until the
  // server ends its transaction, and not for many.
  const one = semaphore(1)
  const tables: Database = {
    ...opened,
    transaction: (isolation, body) => one.run(() => opened.transaction(isolation, body)),
  }
  const backend = postgresBackend(tables, leaseMs)
  const jobs = queueJobs(tables, { schema: `${schema}_jobs`, heartbeatMs, project })
  const parts = { database: tables, backend, jobs, places: filePlaces(tables, files), heartbeatMs }
  const tend = tending(parts)
  return {
    heartbeatMs,
    ...queuePlan(parts),
    ...queueProgress(parts, tend),
    ...queueLeases(parts, tend),
    ...queueResults(parts, tend),
    ...queueWorkers(parts),
    async [Symbol.asyncDispose]() {
      await jobs.close()
      await tables.close()
    },
  }
}

interface WorkerRow {
  readonly report: string
  readonly silent_ms: number
  readonly trials: readonly { readonly run: string; readonly name: string; readonly heldMs: number }[] | null
}

/** The functions of a queue that concern workers, and the buckets that they share. */
function queueWorkers({
  database: { schema, rows },
  heartbeatMs,
}: QueueParts): Pick<TrialQueue, 'report' | 'workers' | 'leave' | 'limiter'> {
  const seconds = (heartbeatMs * 3) / 1_000
  return {
    async report(worker) {
      await rows(
        `insert into ${schema}.queue_workers as known (id, report) values ($1, $2)
          on conflict (id) do update set report = excluded.report, seen_at = now()`,
        [worker.id, JSON.stringify(worker)],
      )
    },
    async workers() {
      const found = await rows<WorkerRow>(
        `select report, extract(epoch from now() - seen_at)::float8 * 1000 as silent_ms, trials
          from ${schema}.queue_workers known left join lateral (
            select jsonb_agg(jsonb_build_object('run', run, 'name', name,
              'heldMs', extract(epoch from now() - leased_at)::float8 * 1000) order by leased_at) as trials
            from ${schema}.queue_trials where worker = known.id and state = 'leased') held on true
          where seen_at > now() - make_interval(secs => $1) or trials is not null order by id`,
        [seconds],
      )
      return found.map(seenWorker)
    },
    async leave(worker) {
      // Those that ended without leaving are forgotten here.
      await rows(`delete from ${schema}.queue_workers where id = $1 or seen_at < now() - interval '1 day'`, [worker])
    },
    limiter: (bucket, { perMinute, burst = Math.max(1, perMinute / 60) }) =>
      async function take(permits) {
        // More than fit are taken when the bucket is full, and owed.
        const wanted = Math.min(permits, burst)
        const level =
          'least($4::float8, known.permits + $3::float8 / 60 * greatest(0, extract(epoch from now() - known.filled_at)))'
        const taken = await rows(
          `insert into ${schema}.queue_buckets as known (name, permits, filled_at) values ($1, $4::float8 - $2::float8, now())
          on conflict (name) do update set permits = ${level} - $2::float8, filled_at = greatest(now(), known.filled_at)
          where ${level} >= $5::float8 returning name`,
          [bucket, permits, perMinute, burst, wanted],
        )
        if (taken.length > 0) return 0
        const [short] = await rows<{ readonly missing: number }>(
          `select $2::float8 - ${level} as missing from ${schema}.queue_buckets as known where name = $1`,
          [bucket, wanted, perMinute, burst],
        )
        return Math.max(1, Math.ceil(((short?.missing ?? 0) * 60_000) / perMinute))
      },
  }
}

function seenWorker({ report, silent_ms: silentMs, trials }: WorkerRow): SeenWorker {
  const held = (trials ?? []).map(({ run, name, heldMs }) => ({ ...(JSON.parse(name) as TrialName), run, heldMs }))
  return { ...(JSON.parse(report) as WorkerReport), silentMs, trials: held }
}

/**
 * The function of a queue that stores results. The files of a trial are put under new references first, where they harm no
 * one; its record, their rows, the account of the run and the end of the lease are one transaction that asks for the lease.
 */
function queueResults(parts: QueueParts, tend: () => Promise<void>): Pick<TrialQueue, 'store'> {
  const { database, jobs, places } = parts
  const { schema, rows, transaction } = database
  /** Whether a run stops when its sequential test decides. Its head, which says so, has the names of all items. */
  const stopsEarly = new Map<string, boolean>()
  async function mayDecide(run: string): Promise<boolean> {
    const known = stopsEarly.get(run)
    if (known !== undefined) return known
    const found = await rows(`select from ${schema}.runs where id = $1 and head::jsonb ? 'sequential'`, [run])
    stopsEarly.set(run, found.length > 0)
    return found.length > 0
  }
  return {
    async store(lease, item, directory) {
      const run = runOfLease(lease)
      if (run === undefined) return 'lost'
      const trial = trialKey(item)
      const held = await heldTrial(rows, schema, lease)
      const queue = held?.queue ?? ''
      if (held === undefined || !(await jobs.prepare(queue)))
        return (await isStored(rows, schema, { run, trial, lease })) ? 'stored' : 'lost'
      if (held.trial !== trial) throw new Error(`The lease ${lease} is for the trial ${held.trial}, not for ${trial}.`)
      const put = directory === null ? { item, files: [] } : await putTrialFiles(places, item, { run, directory })
      let stored: Stored | undefined
      try {
        stored = await transaction('read committed', (ask) => storeHeld(ask, parts, { lease, run, queue, ...put }))
      } finally {
        await removeUnused(parts, run, [...put.files.map(({ ref }) => ref), ...(stored?.replaced ?? [])])
      }
      // If it fails here, the next process that looks completes it, and the next trial that is stored decides it.
      const isDecided =
        stored !== undefined &&
        (await mayDecide(run)
          .then((may) => may && stopDecided(parts, run))
          .catch(() => false))
      if (isDecided || stored?.mayEnd === true) await tend().catch(() => undefined)
      return stored === undefined ? 'lost' : 'stored'
    },
  }
}

interface HeldTrial {
  readonly queue: string
  readonly trial: string
}

async function heldTrial(ask: Rows, schema: string, lease: string): Promise<HeldTrial | undefined> {
  const [found] = await ask<HeldTrial>(
    `select queue, trial from ${schema}.queue_trials join ${schema}.queue_runs using (run)
      where lease = $1 and state = 'leased'`,
    [lease],
  )
  return found
}

interface Storing {
  readonly lease: string
  readonly run: string
  readonly queue: string
  readonly item: ItemResult
  readonly files: readonly FileRow[]
}

interface Stored {
  /** The artifacts that its files replace. */
  readonly replaced: readonly ArtifactRef[]
  /** Whether its run may end now. */
  readonly mayEnd: boolean
}

/** Stores a result while its lease is held. Returns `undefined` when it is not. */
async function storeHeld(
  ask: Rows,
  { database: { schema }, jobs }: QueueParts,
  storing: Storing,
): Promise<Stored | undefined> {
  const { lease, run, queue, item, files } = storing
  const row = trialRow(item)
  const trial = trialKey(row)
  const locked = await lockedRun(ask, schema, run)
  const held = locked?.queue === queue ? await endLease(ask, schema, locked, { ...storing, row }) : undefined
  // When the answer to the first attempt was lost, the second finds what it has stored.
  if (locked === undefined || held === undefined)
    return (await isStored(ask, schema, { run, trial, lease })) ? { replaced: [], mayEnd: true } : undefined
  if (!held.isNew) {
    // Not replaced where it is: a reader that follows the run continues from the last position.
    await ask(`delete from ${schema}.trials where run = $1 and trial = $2 and not decided`, [run, trial])
    await ask(
      `insert into ${schema}.trials (run, trial, decided, record, figures, lease) values ($1, $2, $3, $4, $5, $6)`,
      [run, trial, row.decided, row.record, row.figures, lease],
    )
  }
  const replaced: ArtifactRef[] = []
  for (const file of files) replaced.push(...(await noteFile(ask, schema, file)))
  await jobs.end(ask, queue, [held.job])
  return { replaced, mayEnd: held.last || locked.stopReason !== null }
}

/**
 * Ends a lease with the result of its trial, which counts for the run, and stores it unless a result is there already.
 * `undefined` when the lease is not held.
 */
async function endLease(
  ask: Rows,
  schema: string,
  { spent, plan }: LockedRun,
  { lease, run, item, row }: Storing & { readonly row: TrialRow },
) {
  const trials = `${schema}.queue_trials`
  const [held] = await ask<{ readonly job: string; readonly isNew: boolean; readonly last: boolean }>(
    `with held as (update ${trials} set state = 'stored' where lease = $1 and state = 'leased' returning job),
      sums as (update ${schema}.queue_runs set spent = $3 where run = $2 and exists (select from held)),
      kept as (insert into ${schema}.trials (run, trial, decided, record, figures, lease)
        select $2, $4, $5::boolean, $6, $7, $1 from held on conflict (run, trial) do nothing returning run)
      select job, exists (select from kept) as "isNew", not exists (select from ${trials}
        where run = $2 and state in ('ready', 'leased') and lease is distinct from $1) as last from held`,
    [
      lease,
      run,
      JSON.stringify(withTrial(spent, item, plan.limits)),
      trialKey(row),
      row.decided,
      row.record,
      row.figures,
    ],
  )
  return held
}

interface StoredTrial {
  readonly run: string
  readonly trial: string
  readonly lease: string
}

/** Whether a trial is stored under a lease, in a run that may have ended since. */
async function isStored(ask: Rows, schema: string, { run, trial, lease }: StoredTrial): Promise<boolean> {
  const text = `select from ${schema}.trials where run = $1 and trial = $2 and lease = $3`
  return (await ask(text, [run, trial, lease])).length > 0
}

/** Removes artifacts, but for those that a row names: what was put for nothing, and what was replaced. */
async function removeUnused(
  { database: { schema, rows }, places }: QueueParts,
  run: string,
  refs: readonly ArtifactRef[],
): Promise<void> {
  if (refs.length === 0) return
  const used = await rows<{ readonly reference: string }>(
    `select reference from ${schema}.files where run = $1 and reference = any($2)`,
    [run, refs],
  )
  const unused = refs.filter((ref) => !used.some(({ reference }) => reference === ref))
  if (unused.length > 0) await places.artifacts.remove(run, unused)
}

/** Trials that are sent in one statement. */
const chunk = 5_000

/** The function of a queue that adds runs. */
function queuePlan(parts: QueueParts): Pick<TrialQueue, 'plan'> {
  const { database, backend, jobs } = parts
  const { schema } = database
  const store = storeOver(backend)
  return {
    async plan(run, trials) {
      const { id } = run.manifest
      runningRow(run.manifest)
      if (await isPlanned(database.rows, schema, run)) return
      const earlierMs = (await store.overview(id))?.durationMs ?? 0
      const queue = `${id}.${randomUUID().slice(0, 8)}`
      await jobs.create(queue)
      await jobs.prepare(queue)
      await database.transaction('read committed', async (ask) => {
        const left = await addRun(ask, schema, run, trials, { queue, earlierMs })
        for (const some of chunks(left)) await addTrials(ask, parts, { run: id, queue }, some)
      })
      // Asked again: when the answer to the first attempt was lost, the second has added nothing.
      const used = await database.rows(`select from ${schema}.queue_runs where run = $1 and queue = $2`, [id, queue])
      if (used.length === 0) await jobs.remove(queue)
    },
  }
}

/**
 * Whether the run is in the queue.
 *
 * @throws `run-mismatch` when another run of this id is
 */
async function isPlanned(ask: Rows, schema: string, { manifest }: PlannedRun): Promise<boolean> {
  const [found] = await ask<{ readonly head: string }>(
    `select head from ${schema}.queue_runs join ${schema}.runs on id = run where run = $1`,
    [manifest.id],
  )
  if (found === undefined) return false
  refuseOther(JSON.parse(found.head), manifest, whole)
  return true
}

/** A trial that is to run. Those of higher priority start first. */
interface Planned extends TrialName {
  readonly priority: number
}

/**
 * Adds the row of a run, unless it is in the queue already or all these trials are decided. Returns the trials that are left to
 * run.
 */
async function addRun(
  ask: Rows,
  schema: string,
  run: PlannedRun,
  trials: readonly TrialName[],
  { queue, earlierMs }: { readonly queue: string; readonly earlierMs: number },
): Promise<readonly Planned[]> {
  const { manifest, spent, limits, labels, requireSameCommit } = run
  const { id, experimentName, head } = runningRow(manifest)
  const added = await ask(
    `insert into ${schema}.runs (id, experiment, head) values ($1, $2, $3) on conflict do nothing returning id`,
    [id, experimentName, head],
  )
  if (added.length === 0) {
    // Not "for update": a trial that is being stored refers to the row.
    const text = `select head, ${holderColumns} from ${schema}.runs where id = $1 for no key update`
    const [stored] = await ask<HolderColumns & { readonly head: string }>(text, [id])
    if (stored === undefined) throw new Error(`Run ${id} was removed while it was planned. Plan it again.`)
    if (stored.queued) {
      refuseOther(JSON.parse(stored.head), manifest, whole)
      return []
    }
    const refusal = isHeld(stored) ? locked(stored) : undefined
    if (refusal?.refused === 'locked') runLocked(id, refusal.holder)
    refuseOther(JSON.parse(stored.head), manifest, names)
  }
  const left = added.length === 1 ? trials : await undecided(ask, schema, id, trials)
  if (left.length === 0 && added.length === 0) return []
  await ask(
    `update ${schema}.runs set head = $2, entry = null, queued = true, holder = null, holder_process = null, held_until = null
      where id = $1`,
    [id, head],
  )
  await ask(
    `insert into ${schema}.queue_runs (run, queue, plan, spent, earlier_ms, timeout_ms) values ($1, $2, $3, $4, $5, $6)`,
    [
      id,
      queue,
      JSON.stringify({ limits, labels, requireSameCommit }),
      JSON.stringify(spent),
      earlierMs,
      limits.timeoutMs,
    ],
  )
  return left.map((trial, index) => ({ ...trial, priority: left.length - index }))
}

/** The trials that no stored result decides. */
async function undecided(ask: Rows, schema: string, run: string, trials: readonly TrialName[]) {
  const found = await ask<{ readonly trial: string }>(`select trial from ${schema}.trials where run = $1 and decided`, [
    run,
  ])
  const decided = new Set(found.map(({ trial }) => trial))
  return trials.filter((trial) => !decided.has(trialKey(trial)))
}

async function addTrials(
  ask: Rows,
  { database: { schema }, jobs }: QueueParts,
  { run, queue }: { readonly run: string; readonly queue: string },
  trials: readonly Planned[],
): Promise<void> {
  const all = trials.map((trial) => ({ ...trial, job: randomUUID() }))
  await ask(
    `insert into ${schema}.queue_trials (run, trial, name, priority, job)
      select $1, given.* from unnest($2::text[], $3::text[], $4::integer[], $5::uuid[]) as given (trial, name, priority, job)`,
    [
      run,
      all.map(trialKey),
      all.map(({ itemId, repetition }) => JSON.stringify({ itemId, repetition })),
      all.map(({ priority }) => priority),
      all.map(({ job }) => job),
    ],
  )
  const added = all.map(({ job, priority }) => ({ id: job, priority, startAfter: 0 }))
  await jobs.add(ask, queue, added)
}

function* chunks<Value>(values: readonly Value[]): Generator<readonly Value[], void> {
  for (let at = 0; at < values.length; at += chunk) yield values.slice(at, at + chunk)
}

type Compared = (manifest: RunManifest) => { readonly [name: string]: Json }

/** The properties that a run keeps when it continues. */
const names: Compared = ({ experimentName, kind, variant }) => ({ name: experimentName, kind, variant })

/** The properties that identify a run. */
const whole: Compared = (manifest) => ({
  ...names(manifest),
  ...manifest.conditions,
  dataset: manifest.dataset.hash,
})

function refuseOther(stored: RunManifest, planned: RunManifest, of: Compared): void {
  const [before, now] = [of(stored), of(planned)]
  const differences = [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .map((condition) => ({ condition, baseline: before[condition] ?? null, candidate: now[condition] ?? null }))
    .filter(({ baseline, candidate }) => !isDeepStrictEqual(baseline, candidate))
    .map((difference) => ({ ...difference, reason: 'differs' as const, allowed: false }))
  if (differences.length === 0) return
  const { id } = planned
  const problem = `Run ${id} is another one: it differs in ${differences.map(({ condition }) => condition).join(', ')}.`
  throw new JuristError('run-mismatch', `${problem} Start a new run.`, { id, differences, problem })
}
