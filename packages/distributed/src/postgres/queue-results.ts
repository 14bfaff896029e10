import { trialRow } from '@jurist/experiment/internal'
import type { ItemResult } from '@jurist/experiment/result'
import { type TrialQueue, withTrial } from '@jurist/experiment/store-kit'
import type { ArtifactRef } from './artifact-store.js'
import type { Rows } from './database.js'
import { type FileRow, noteFile } from './file-rows.js'
import { type LockedRun, lockedRun, type QueueParts, runOfLease } from './queue-run.js'
import { trialKey } from './run-rows.js'
import { putTrialFiles } from './trial-files.js'

/**
 * The function of a queue that stores results. The files of a trial are put under new references first, where they harm no
 * one; its record, their rows, the account of the run and the end of the lease are one transaction that asks for the lease.
 */
export function queueResults(parts: QueueParts, tend: () => Promise<void>): Pick<TrialQueue, 'store'> {
  const { database, jobs, places } = parts
  const { schema, rows, transaction } = database
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
      // If it fails here, the next process that looks completes it.
      if (stored?.mayEnd === true) await tend().catch(() => undefined)
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
  const held = locked?.queue === queue ? await endLease(ask, schema, locked, storing) : undefined
  // When the answer to the first attempt was lost, the second finds what it has stored.
  if (locked === undefined || held === undefined)
    return (await isStored(ask, schema, { run, trial, lease })) ? { replaced: [], mayEnd: true } : undefined
  // Not replaced where it is: a reader that follows the run continues from the last position.
  await ask(`delete from ${schema}.trials where run = $1 and trial = $2 and not decided`, [run, trial])
  await ask(
    `insert into ${schema}.trials (run, trial, decided, record, figures, lease) values ($1, $2, $3, $4, $5, $6)`,
    [run, trial, row.decided, row.record, row.figures, lease],
  )
  const replaced: ArtifactRef[] = []
  for (const file of files) replaced.push(...(await noteFile(ask, schema, file)))
  await jobs.end(ask, queue, [held.job])
  return { replaced, mayEnd: held.last || locked.stopReason !== null }
}

/** Ends a lease with the result of its trial, which counts for the run. `undefined` when it is not held. */
async function endLease(ask: Rows, schema: string, { spent, plan }: LockedRun, { lease, run, item }: Storing) {
  const trials = `${schema}.queue_trials`
  const [held] = await ask<{ readonly job: string; readonly last: boolean }>(
    `with held as (update ${trials} set state = 'stored' where lease = $1 and state = 'leased' returning job),
      sums as (update ${schema}.queue_runs set spent = $3 where run = $2 and exists (select from held))
      select job, not exists (select from ${trials} where run = $2 and state <> 'stored' and lease is distinct from $1) as last
      from held`,
    [lease, run, JSON.stringify(withTrial(spent, item, plan.limits))],
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
