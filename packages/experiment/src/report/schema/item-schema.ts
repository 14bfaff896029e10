import type { JsonObject } from '@jurist/core'
import {
  amount,
  anyObject,
  flag,
  instant,
  listOf,
  mapOf,
  objectOf,
  oneOf,
  orNull,
  rate,
  ref,
  text,
} from './schema-parts.js'

const itemFailure = objectOf(
  { name: text, message: text, origin: oneOf('setup', 'agent', 'jury', 'hook'), infrastructure: flag },
  { code: text },
)

const detail: JsonObject = {
  anyOf: [
    objectOf({
      kind: { const: 'agent' },
      invocation: objectOf({ status: oneOf('completed', 'refused', 'timeout', 'error', 'cancelled') }),
    }),
    objectOf({
      kind: { const: 'judge' },
      judgment: ref('judgment'),
      expectedLabel: orNull(text),
      scorer: objectOf({ scored: flag, reasoning: text }),
      swapped: orNull(ref('judgment')),
    }),
  ],
}

/** One trial. */
const item: JsonObject = objectOf({
  itemId: text,
  itemSlug: text,
  itemHash: text,
  repetition: { type: 'integer', minimum: 1 },
  bucket: text,
  taskType: text,
  tags: listOf(text),
  task: text,
  agent: oneOf('completed', 'timeout', 'error', 'setup-error', 'cancelled'),
  judged: oneOf('pass', 'fail', 'abstain', 'error', 'not-judged'),
  passed: orNull(flag),
  failure: orNull(ref('itemFailure')),
  attempts: listOf(objectOf({ failure: ref('itemFailure'), durationMs: amount, costUsd: orNull(amount) })),
  startedAt: instant,
  endedAt: instant,
  durationMs: amount,
  setupMs: amount,
  agentMs: amount,
  juryMs: amount,
  usage: orNull(ref('usage')),
  judgeUsage: orNull(ref('usage')),
  costUsd: orNull(amount),
  judgeCostUsd: orNull(amount),
  scores: mapOf(rate),
  efficiency: orNull(mapOf(rate)),
  verdict: orNull(ref('verdict')),
  detail: orNull(detail),
  workspacePath: orNull(text),
  referencePath: orNull(text),
  beforePath: orNull(text),
  journalPath: orNull(text),
  metadata: anyObject,
})

/** Parts of a trial. */
export const itemSchemas: { readonly [name: string]: JsonObject } = { item, itemFailure }
