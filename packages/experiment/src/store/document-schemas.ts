import type { JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import * as v from 'valibot'
import { runStatuses } from '../result/records.js'
import type { Same } from './record-schemas.js'
import type { RunSession } from './sessions.js'
import type { SweepLog } from './sweeps.js'

const nullableText = v.nullable(v.string())
function list<Entry>(entry: v.GenericSchema<unknown, Entry>): v.GenericSchema<unknown, readonly Entry[]> {
  return v.array(entry)
}

const metadata = v.custom<JsonObject>(isPlainObject, 'must be an object')

const sessionEntries = v.object({
  session: v.string(),
  experimentName: v.string(),
  createdAt: v.string(),
  endedAt: nullableText,
  status: v.picklist(['running', 'completed', 'failed']),
  variants: list(
    v.object({
      variant: v.string(),
      runId: v.string(),
      status: v.picklist(runStatuses),
      passRate: v.nullable(v.number()),
      trials: v.number(),
      costUsd: v.nullable(v.number()),
      durationMs: v.number(),
    }),
  ),
  metadata,
})

const sweepEntries = v.object({
  sweep: v.string(),
  experimentName: v.string(),
  createdAt: v.string(),
  endedAt: nullableText,
  closed: v.nullable(v.picklist(['completed', 'failed'])),
  expected: list(v.string()),
  additions: list(
    v.object({
      session: v.string(),
      addedAt: v.string(),
      removed: v.boolean(),
      runs: v.record(v.string(), v.object({ runId: v.string(), gitCommit: nullableText })),
    }),
  ),
  metadata,
})

/** Does not compile when a record and its schema have different fields. */
true satisfies Same<Required<RunSession>, Required<v.InferOutput<typeof sessionEntries>>>
true satisfies Same<Required<SweepLog>, Required<v.InferOutput<typeof sweepEntries>>>

export const sessionSchema: v.GenericSchema<unknown, RunSession> = sessionEntries

export const sweepSchema: v.GenericSchema<unknown, SweepLog> = sweepEntries
