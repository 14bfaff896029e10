import { trialRow } from '@jurist/experiment/internal'
import { type TrialQueue, withTrial } from '@jurist/experiment/queue'
import type { ItemResult } from '@jurist/experiment/result'
import type { ArtifactRef } from './artifact-store.js'
import type { Rows } from './database.js'
import { type FileRow, noteFile } from './file-rows.js'
import { lockedRun, type QueueParts, runOfLease } from './queue-run.js'
import { storeTrials, trialColumns, trialKey } from './run-rows.js'
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
      let replaced: readonly ArtifactRef[] | undefined
      try {
        replaced = await transaction('read committed', (ask) => storeHeld(ask, parts, { lease, run, queue, ...put }))
      } finally {
        await removeUnused(parts, run, [...put.files.map(({ ref }) => ref), ...(replaced ?? [])])
      }
      if (replaced === undefined) return 'lost'
      // It is stored: what follows is done by the next process that looks.
      await tend().catch(() => undefined)
      return 'stored'
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

/** Stores a result while its lease is held. Returns the artifacts that its files replace; `undefined` when it is not held. */
async function storeHeld(
  ask: Rows,
  { database: { schema }, jobs }: QueueParts,
  { lease, run, queue, item, files }: Storing,
): Promise<readonly ArtifactRef[] | undefined> {
  const row = trialRow(item)
  const trial = trialKey(row)
  const locked = await lockedRun(ask, schema, run)
  const [held] =
    locked?.queue === queue
      ? await ask<{ readonly job: string }>(
          `update ${schema}.queue_trials set state = 'stored' where lease = $1 and state = 'leased' returning job`,
          [lease],
        )
      : []
  // When the answer to the first attempt was lost, the second finds what it has stored.
  if (locked === undefined || held === undefined)
    return (await isStored(ask, schema, { run, trial, lease })) ? [] : undefined
  // Not replaced in its place: who follows the run reads on from the last place.
  await ask(`delete from ${schema}.trials where run = $1 and trial = $2 and not decided`, [run, trial])
  await ask(storeTrials(schema, 'select $5::text as id'), [...trialColumns([row]), run])
  await ask(`update ${schema}.trials set lease = $3 where run = $1 and trial = $2`, [run, trial, lease])
  const replaced: ArtifactRef[] = []
  for (const file of files) replaced.push(...(await noteFile(ask, schema, file)))
  await ask(`update ${schema}.queue_runs set spent = $2 where run = $1`, [
    run,
    JSON.stringify(withTrial(locked.spent, item, locked.plan.limits)),
  ])
  await jobs.end(ask, queue, [held.job])
  return replaced
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
