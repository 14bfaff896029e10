import { trialRow } from '@jurist/experiment/internal'
import { type TrialQueue, withTrial } from '@jurist/experiment/queue'
import type { ItemResult } from '@jurist/experiment/result'
import type { ArtifactRef } from './artifact-store.js'
import type { Rows } from './database.js'
import { type FileRow, noteFile } from './file-rows.js'
import { isLease, lockedRun, type QueueParts } from './queue-run.js'
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
      const held = isLease(lease) ? await leaseOf(rows, schema, lease) : undefined
      if (held === undefined) return 'lost'
      if (held.state === 'stored') return 'stored'
      if (held.trial !== trialKey(item)) throw new Error(`The lease ${lease} is not for ${trialKey(item)}.`)
      const { run, queue } = held
      if (!(await jobs.prepare(queue))) return 'lost'
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

interface LeaseRow {
  readonly run: string
  readonly queue: string
  readonly trial: string
  readonly state: 'leased' | 'stored'
}

async function leaseOf(ask: Rows, schema: string, lease: string): Promise<LeaseRow | undefined> {
  const [found] = await ask<LeaseRow>(
    `select run, queue, trial, state from ${schema}.queue_trials join ${schema}.queue_runs using (run) where lease = $1`,
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
  const locked = await lockedRun(ask, schema, run)
  if (locked?.queue !== queue) return undefined
  const [held] = await ask<{ readonly job: string }>(
    `update ${schema}.queue_trials set state = 'stored' where lease = $1 and state = 'leased' returning job`,
    [lease],
  )
  // When the answer to the first attempt was lost, the second finds what it has stored.
  if (held === undefined) return (await leaseOf(ask, schema, lease))?.state === 'stored' ? [] : undefined
  const row = trialRow(item)
  // Not replaced in its place: who follows the run reads on from the last place.
  await ask(`delete from ${schema}.trials where run = $1 and trial = $2 and not decided`, [run, trialKey(row)])
  await ask(storeTrials(schema, 'select $5::text as id'), [...trialColumns([row]), run])
  const replaced: ArtifactRef[] = []
  for (const file of files) replaced.push(...(await noteFile(ask, schema, file)))
  await ask(`update ${schema}.queue_runs set spent = $2 where run = $1`, [
    run,
    JSON.stringify(withTrial(locked.spent, item, locked.plan.limits)),
  ])
  await jobs.end(ask, queue, [held.job])
  return replaced
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
