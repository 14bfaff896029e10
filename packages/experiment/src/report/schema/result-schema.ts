import type { JsonObject } from '@jurist/core'
import { itemSchemas } from './item-schema.js'
import { judgmentSchemas } from './judgment-schema.js'
import { amount, anyObject, count, flag, instant, listOf, objectOf, oneOf, orNull, ref, text } from './schema-parts.js'
import { summaryProperties, summarySchemas } from './summary-schema.js'

const lineage = objectOf({
  rejudgedFrom: text,
  root: text,
  systemReinvoked: { const: false },
  originalStartedAt: instant,
  jury: text,
  tiers: orNull(listOf(text)),
})

const jury = objectOf({
  name: text,
  fingerprint: text,
  judges: listOf(objectOf({ path: text, name: text, kind: text, weight: amount })),
  tiers: orNull(listOf(objectOf({ name: text, policy: text }))),
})

const knowledge = objectOf({
  directory: text,
  gitCommit: orNull(text),
  dirty: flag,
  takenAt: text,
  files: listOf(objectOf({ path: text, bytes: count, sha256: text })),
  exclude: listOf(text),
})

const dataset = objectOf({
  name: text,
  version: text,
  hash: text,
  gitCommit: orNull(text),
  dirty: flag,
  activeItemCount: count,
  selectedItemCount: count,
})

const head = {
  schemaVersion: { const: 1 },
  id: text,
  experimentName: text,
  kind: oneOf('agent', 'judge', 'rejudge'),
  status: oneOf('running', 'completed', 'stopped', 'interrupted', 'failed'),
  stopReason: orNull(oneOf('experiment-timeout', 'budget', 'bail', 'infrastructure', 'cancelled')),
  variant: orNull(text),
  session: orNull(text),
  baseline: orNull(text),
  lineage: orNull(lineage),
  startedAt: instant,
  endedAt: orNull(instant),
  durationMs: amount,
  dataset,
  code: objectOf({ gitCommit: orNull(text), dirty: flag, dirtyFiles: listOf(text) }),
  environment: objectOf({ node: text, platform: text, arch: text, jurist: text, ci: flag }),
  conditions: anyObject,
  configuration: anyObject,
  jury: orNull(jury),
  knowledge: orNull(knowledge),
  metadata: anyObject,
  planned: count,
}

/**
 * The JSON Schema (2020-12) of what `jsonReport` writes. Objects may have further keys in later versions; what they have now
 * stays as long as `schemaVersion` is 1. The same schema is a file of the package: `schema/result.schema.json`.
 */
export const resultSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A run of Jurist and its summary',
  ...objectOf({ ...head, ...summaryProperties, items: listOf(ref('item')) }),
  $defs: { ...itemSchemas, ...judgmentSchemas, ...summarySchemas },
}
