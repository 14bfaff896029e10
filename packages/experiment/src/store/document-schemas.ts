import type { JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import * as v from 'valibot'
import type { RunSession } from './sessions.js'
import type { SweepLog } from './sweeps.js'

const nullableText = v.nullable(v.string())
const metadata = v.custom<JsonObject>(isPlainObject, 'must be an object')

/** A file of a session. */
export const sessionSchema: v.GenericSchema<unknown, RunSession> = v.object({
  session: v.string(),
  experimentName: v.string(),
  createdAt: v.string(),
  endedAt: nullableText,
  status: v.picklist(['running', 'completed', 'failed']),
  variants: v.array(
    v.object({
      variant: v.string(),
      runId: v.string(),
      status: v.picklist(['running', 'completed', 'stopped', 'interrupted', 'failed']),
      passRate: v.nullable(v.number()),
      trials: v.number(),
      costUsd: v.nullable(v.number()),
      durationMs: v.number(),
    }),
  ),
  metadata,
})

/** A file of a sweep. */
export const sweepSchema: v.GenericSchema<unknown, SweepLog> = v.object({
  sweep: v.string(),
  experimentName: v.string(),
  createdAt: v.string(),
  endedAt: nullableText,
  closed: v.nullable(v.picklist(['completed', 'failed'])),
  expected: v.array(v.string()),
  additions: v.array(
    v.object({
      session: v.string(),
      addedAt: v.string(),
      removed: v.boolean(),
      runs: v.record(v.string(), v.object({ runId: v.string(), gitCommit: nullableText })),
    }),
  ),
  metadata,
})
