import type { JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import * as v from 'valibot'
import type { RunHead } from './run-head.js'
import { readRecord } from './stored-record.js'

const nullableText = v.nullable(v.string())
const texts = v.array(v.string())
const jsonObject = v.custom<JsonObject>(isPlainObject, 'must be an object')

const juryDescription = v.object({
  name: v.string(),
  fingerprint: v.string(),
  judges: v.array(v.object({ path: v.string(), name: v.string(), kind: v.string(), weight: v.number() })),
  tiers: v.nullable(v.array(v.object({ name: v.string(), policy: v.string() }))),
})

const knowledgeManifest = v.object({
  directory: v.string(),
  gitCommit: nullableText,
  dirty: v.boolean(),
  takenAt: v.string(),
  files: v.array(v.object({ path: v.string(), bytes: v.number(), sha256: v.string() })),
  exclude: texts,
})

const lineage = v.object({
  rejudgedFrom: v.string(),
  root: v.string(),
  systemReinvoked: v.literal(false),
  originalStartedAt: v.string(),
  jury: v.string(),
  tiers: v.nullable(texts),
})

const datasetVersion = v.object({
  name: v.string(),
  version: v.string(),
  hash: v.string(),
  gitCommit: nullableText,
  dirty: v.boolean(),
  activeItemCount: v.number(),
  selectedItemCount: v.number(),
})

const runHead = v.object({
  schemaVersion: v.literal(1),
  id: v.string(),
  experimentName: v.string(),
  kind: v.picklist(['agent', 'judge', 'rejudge']),
  status: v.picklist(['running', 'completed', 'stopped', 'interrupted', 'failed']),
  stopReason: v.nullable(v.picklist(['experiment-timeout', 'budget', 'bail', 'infrastructure', 'cancelled'])),
  variant: nullableText,
  session: nullableText,
  lineage: v.nullable(lineage),
  dataset: datasetVersion,
  code: v.object({ gitCommit: nullableText, dirty: v.boolean(), dirtyFiles: texts }),
  environment: v.object({
    node: v.string(),
    platform: v.string(),
    arch: v.string(),
    jurist: v.string(),
    ci: v.boolean(),
  }),
  conditions: jsonObject,
  configuration: jsonObject,
  jury: v.nullable(juryDescription),
  knowledge: v.nullable(knowledgeManifest),
  baseline: nullableText,
  startedAt: v.string(),
  endedAt: nullableText,
  durationMs: v.number(),
  planned: v.pipe(v.number(), v.integer(), v.minValue(0)),
  metadata: jsonObject,
  itemOrder: v.exactOptional(texts),
  stored: v.exactOptional(
    v.object({
      lines: v.pipe(v.number(), v.integer(), v.minValue(0)),
      bytes: v.pipe(v.number(), v.integer(), v.minValue(0)),
      sha256: v.string(),
      indexSha256: v.exactOptional(v.string()),
    }),
  ),
})

/**
 * The head of a run from the text of `run.json`; unknown fields are dropped.
 *
 * @throws `record-invalid`: no JSON, a field that is wrong, a version that only a newer Jurist reads
 */
export function runHeadFromJson(text: string, path: string): RunHead {
  return readRecord(runHead, text, path)
}

/** The text of `run.json`. */
export function runHeadToJson(head: RunHead): string {
  return `${JSON.stringify(head, undefined, 2)}\n`
}
