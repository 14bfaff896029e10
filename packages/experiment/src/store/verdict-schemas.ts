import type { JsonObject } from '@jurist/core'
import { isPlainObject, judgmentStatuses, tierPolicies } from '@jurist/core/internal'
import * as v from 'valibot'

// Schemas of core's values within stored records. They are published in the JSON Schema of results. When a record is read,
// only its own fields are checked against a schema; core checks verdicts and judgments when they are used.

export const text: v.StringSchema<undefined> = v.string()
export const nullableText: v.GenericSchema<unknown, string | null> = v.nullable(text)
export const texts: v.GenericSchema<unknown, readonly string[]> = v.array(text)
/** Not `NaN` and not infinite: JSON reads `1e999` as infinity. */
export const amount: v.GenericSchema<unknown, number> = v.pipe(v.number(), v.finite('must be a finite number'))
export const nullableAmount: v.GenericSchema<unknown, number | null> = v.nullable(amount)
export const count: v.GenericSchema<unknown, number> = v.pipe(v.number(), v.integer(), v.minValue(0))
export const rate: v.GenericSchema<unknown, number> = v.pipe(v.number(), v.minValue(0), v.maxValue(1))
export const jsonObject: v.GenericSchema<unknown, JsonObject> = v.custom<JsonObject>(isPlainObject, 'must be an object')

/** The published schema of each schema that checks less when records are read. */
export const publishedAs: Map<v.GenericSchema, v.GenericSchema> = new Map()

function published<Schema extends v.GenericSchema>(schema: Schema, as: v.GenericSchema): Schema {
  publishedAs.set(schema, as)
  return schema
}

/** An object whose inside is not checked when a record is read: there may be 100,000 of them. */
export function unread<Value>(inside: v.GenericSchema): v.GenericSchema<unknown, Value> {
  return published(v.custom<Value>(isPlainObject, 'must be an object'), inside)
}

/** Like `unread`, for an array. */
export function unreadArray<Element>(elements: v.GenericSchema): v.GenericSchema<unknown, readonly Element[]> {
  return published(v.custom<readonly Element[]>(Array.isArray, 'must be an array'), v.array(elements))
}

/**
 * Finite numbers by name. The names are not checked: `v.record` would drop a score that is called `constructor`.
 */
export function amounts(): v.GenericSchema<unknown, Readonly<Record<string, number>>> {
  const schema = v.custom<Readonly<Record<string, number>>>(
    (value) => isPlainObject(value) && Object.values(value).every(Number.isFinite),
    'must be an object of finite numbers',
  )
  return published(schema, v.record(text, amount))
}

/** A point in time. Readers take any string, as older versions did. */
export function instant(): v.GenericSchema<unknown, string> {
  return published(v.string(), v.pipe(text, v.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/)))
}

const optional = v.exactOptional

export const usageSchema: v.GenericSchema = v.object({
  inputTokens: optional(count),
  outputTokens: optional(count),
  reasoningTokens: optional(count),
  cacheReadTokens: optional(count),
  cacheWriteTokens: optional(count),
  totalTokens: optional(count),
})

const failureSchema = v.object({
  name: text,
  message: text,
  code: optional(text),
  infrastructure: optional(v.boolean()),
  stack: optional(text),
})

const checkSchema = v.object({
  name: text,
  passed: v.boolean(),
  message: text,
  score: optional(rate),
  location: optional(v.object({ path: text, line: optional(v.pipe(v.number(), v.integer(), v.minValue(1))) })),
})

const scoreSchema = v.object({
  type: v.picklist(['boolean', 'numerical', 'categorical']),
  value: v.union([v.boolean(), v.number(), text]),
  min: optional(amount),
  max: optional(amount),
  allowed: optional(texts),
  scale: optional(v.record(text, rate)),
})

export const outputSchema: v.GenericSchema = v.variant('type', [
  v.object({ type: v.literal('text'), text }),
  v.object({ type: v.literal('structured'), data: v.any() }),
  v.object({
    type: v.literal('multimodal'),
    parts: v.array(v.object({ type: v.picklist(['text', 'image', 'file']) })),
  }),
])

export const judgmentSchema: v.GenericSchema = v.object({
  status: v.picklist(judgmentStatuses),
  reasoning: text,
  checks: v.array(checkSchema),
  metadata: jsonObject,
  score: optional(scoreSchema),
  failure: optional(failureSchema),
  elapsedMs: optional(amount),
  usage: optional(usageSchema),
  costUsd: optional(amount),
})

const tierSchema = v.object({
  name: text,
  policy: v.picklist(tierPolicies),
  outcome: v.picklist(['rejected', 'accepted', 'escalated', 'decided', 'errored', 'not-reached']),
  elapsedMs: amount,
  costUsd: optional(amount),
})

export const verdictSchema: v.GenericSchema = v.object({
  aggregated: judgmentSchema,
  individual: v.record(text, judgmentSchema),
  weights: v.record(text, amount),
  subVerdicts: v.record(
    text,
    v.lazy(() => verdictSchema),
  ),
  usage: usageSchema,
  elapsedMs: amount,
  tiers: optional(v.array(tierSchema)),
  costUsd: optional(amount),
})
