import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Json, JuristError } from '@jurist/core'
import { runLocked, runningRow } from '@jurist/experiment/internal'
import type { TrialName } from '@jurist/experiment/internal/results'
import type { RunManifest } from '@jurist/experiment/store'
import { type PlannedRun, storeOver, type TrialQueue } from '@jurist/experiment/store-kit'
import type { Rows } from './database.js'
import type { QueueParts } from './queue-run.js'
import { type HolderColumns, holderColumns, isHeld, locked, trialKey } from './run-rows.js'

/** Trials that are sent in one statement. */
const chunk = 5_000

/** The function of a queue that adds runs. */
export function queuePlan(parts: QueueParts): Pick<TrialQueue, 'plan'> {
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
