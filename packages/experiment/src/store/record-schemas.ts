import type { AgentOutput, Invocation, Usage, UserPart, Verdict } from '@jurist/core'
import { executionStatuses } from '@jurist/core/internal'
import * as v from 'valibot'
import {
  type ExperimentResult,
  type FailedAttempt,
  type ItemDetail,
  type ItemFailure,
  type ItemResult,
  type RunRecord,
  runStatuses,
} from '../result/records.js'
import { runKinds } from '../result/run-kind.js'
import { agentOutcomes, judgedOutcomes } from '../result/summary.js'
import {
  amount,
  amounts,
  count,
  instant,
  jsonObject,
  judgmentSchema,
  nullableAmount,
  nullableText,
  outputSchema,
  text,
  texts,
  unread,
  unreadArray,
  usageSchema,
  verdictSchema,
} from './verdict-schemas.js'

/** A run without its items: what `run.json` holds. */
export interface RunHead extends Omit<RunRecord, 'items'> {
  /**
   * The checksum of `items.jsonl` when the run ended. Absent for runs of older versions and for those that have not
   * ended.
   */
  readonly stored?: StoredSum
}

/** The size and checksum of a file of trials at one moment. */
export interface StoredSum {
  readonly lines: number
  readonly bytes: number
  /** In hexadecimal digits. */
  readonly sha256: string
  /** The checksum of the lines of `trials.jsonl`; absent where there was no index. */
  readonly indexSha256?: string
}

// The schemas of a stored run. Readers, the keys of heads and reports, and the published JSON Schema follow from them.
// The interfaces in `result/records.ts` document the same fields; `Same` keeps the two equal.

/** An array of objects, in the type a readonly one. */
const list = <Schema extends v.GenericSchema>(element: Schema) => v.pipe(v.array(element), v.readonly())

const itemFailure = v.object({
  name: text,
  message: text,
  code: v.exactOptional(text),
  stack: v.exactOptional(text),
  origin: v.picklist(['setup', 'agent', 'jury', 'hook', 'user']),
  infrastructure: v.boolean(),
})

const userPart = v.object({
  ended: v.picklist(['satisfied', 'gave-up', 'out-of-scope', 'agent', 'max-turns', 'user-fault', 'failure']),
  faults: list(v.object({ name: text, turn: count, message: text })),
  audited: v.boolean(),
  usage: v.exactOptional(usageSchema),
  costUsd: v.exactOptional(amount),
})

const detail = v.variant('kind', [
  v.object({
    kind: v.literal('agent'),
    invocation: v.object({ status: v.picklist(Object.keys(executionStatuses) as Invocation['status'][]) }),
  }),
  v.object({
    kind: v.literal('judge'),
    judgment: judgmentSchema,
    expectedLabel: nullableText,
    scorer: v.object({ scored: v.boolean(), reasoning: text }),
    swapped: v.nullable(judgmentSchema),
  }),
])

/** The name of a jury, judges by name, or an array of judges. */
const described = v.nullable(v.union([text, v.array(v.unknown()), v.record(v.string(), v.unknown())]))
const storedJudges = v.object({ described, directory: text })

/** A line of `items.jsonl`. */
const item = v.object({
  itemId: text,
  itemSlug: text,
  itemHash: text,
  repetition: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  bucket: text,
  taskType: text,
  tags: unreadArray<string>(text),
  task: text,
  expectedOutput: v.exactOptional(unread<AgentOutput>(outputSchema)),
  judges: v.exactOptional(unread<NonNullable<ItemResult['judges']>>(storedJudges)),
  expectedAnyOf: v.exactOptional(v.literal(true)),
  user: v.exactOptional(unread<UserPart>(userPart)),
  network: v.exactOptional(v.object({ allowed: amounts(), refused: amounts() })),
  agent: v.picklist(agentOutcomes),
  judged: v.picklist(judgedOutcomes),
  passed: v.nullable(v.boolean()),
  failure: v.nullable(unread<ItemFailure>(itemFailure)),
  attempts: unreadArray<FailedAttempt>(v.object({ failure: itemFailure, durationMs: amount, costUsd: nullableAmount })),
  startedAt: instant(),
  endedAt: instant(),
  durationMs: amount,
  setupMs: amount,
  agentMs: amount,
  juryMs: amount,
  usage: v.nullable(unread<Usage>(usageSchema)),
  judgeUsage: v.nullable(unread<Usage>(usageSchema)),
  costUsd: nullableAmount,
  judgeCostUsd: nullableAmount,
  scores: amounts(),
  efficiency: v.nullable(amounts()),
  verdict: v.nullable(unread<Verdict>(verdictSchema)),
  detail: v.nullable(unread<ItemDetail>(detail)),
  workspacePath: nullableText,
  keptChanges: v.exactOptional(v.object({ before: text, removed: texts })),
  referencePath: nullableText,
  beforePath: nullableText,
  journalPath: nullableText,
  metadata: jsonObject,
})

const lineage = v.object({
  rejudgedFrom: text,
  root: text,
  systemReinvoked: v.literal(false),
  originalStartedAt: text,
  jury: text,
  tiers: v.nullable(texts),
})

const jury = v.object({
  name: text,
  fingerprint: text,
  judges: list(v.object({ path: text, name: text, kind: text, weight: v.number() })),
  tiers: v.nullable(list(v.object({ name: text, policy: text }))),
  certificates: v.exactOptional(list(v.looseObject({ id: text }))),
})

const knowledge = v.object({
  directory: text,
  gitCommit: nullableText,
  dirty: v.boolean(),
  takenAt: text,
  files: list(v.object({ path: text, bytes: v.number(), sha256: text })),
  exclude: texts,
})

const dataset = v.object({
  name: text,
  version: text,
  hash: text,
  gitCommit: nullableText,
  dirty: v.boolean(),
  activeItemCount: v.number(),
  selectedItemCount: v.number(),
})

const shard = v.object({
  index: count,
  count,
  by: v.picklist(['order', 'seconds']),
  trials: count,
  durations: nullableText,
})

const sequential = v.object({
  rule: v.picklist(['difference', 'threshold']),
  seed: v.number(),
  order: texts,
  repetitions: count,
  alpha: v.number(),
  margin: v.nullable(v.number()),
  threshold: v.nullable(v.number()),
  comparisons: list(v.object({ baseline: text, candidate: text })),
})

const decided = v.object({
  after: count,
  planned: count,
  why: v.picklist(['improved', 'regressed', 'not-worse', 'met', 'missed', 'certain']),
  ahead: texts,
})

const quarantine = list(
  v.object({
    item: text,
    judge: v.exactOptional(text),
    owner: text,
    reason: text,
    since: v.exactOptional(text),
    until: text,
  }),
)

/** A run without its items, its fields in the order of reports. */
const run = v.object({
  schemaVersion: v.literal(1),
  id: text,
  experimentName: text,
  kind: v.picklist(runKinds),
  status: v.picklist(runStatuses),
  stopReason: v.nullable(
    v.picklist(['experiment-timeout', 'budget', 'bail', 'infrastructure', 'cancelled', 'decided']),
  ),
  variant: nullableText,
  session: nullableText,
  shard: v.exactOptional(shard),
  merged: v.exactOptional(texts),
  baseline: nullableText,
  lineage: v.nullable(lineage),
  startedAt: instant(),
  endedAt: v.nullable(instant()),
  durationMs: v.number(),
  dataset,
  code: v.object({ gitCommit: nullableText, dirty: v.boolean(), dirtyFiles: texts }),
  environment: v.object({ node: text, platform: text, arch: text, jurist: text, ci: v.boolean() }),
  conditions: jsonObject,
  configuration: jsonObject,
  jury: v.nullable(jury),
  knowledge: v.nullable(knowledge),
  metadata: jsonObject,
  planned: count,
  sequential: v.exactOptional(sequential),
  decided: v.exactOptional(decided),
  quarantine: v.exactOptional(quarantine),
  itemOrder: v.exactOptional(texts),
})

/** `run.json`: a run without its items, and what the store adds. */
const head = v.object({
  ...run.entries,
  stored: v.exactOptional(v.object({ lines: count, bytes: count, sha256: text, indexSha256: v.exactOptional(text) })),
})

/** `true` for two types with the same fields. An optional field that only one of them has leaves them assignable. */
export type Same<A, B> = [A, keyof A] extends [B, keyof B] ? ([B, keyof B] extends [A, keyof A] ? true : never) : never

/** Does not compile when a record and its schema have different fields. */
true satisfies Same<ItemResult, v.InferOutput<typeof item>>
true satisfies Same<Omit<RunRecord, 'items'>, v.InferOutput<typeof run>>
true satisfies Same<RunHead, v.InferOutput<typeof head>>

type Keys = readonly (keyof ExperimentResult)[]

/** The fields of an item, in the order of reports. */
export const itemKeys: readonly (keyof ItemResult)[] = Object.keys(item.entries) as (keyof ItemResult)[]

/** The fields of a run without its items, in the order of reports. */
export const runKeys: Keys = Object.keys(run.entries) as (keyof RunRecord)[]

/** The fields of a run without its items. */
export const runFields: v.ObjectEntries = run.entries

export const itemSchema: v.GenericSchema<unknown, ItemResult> = item

export const headSchema: v.GenericSchema<unknown, RunHead> = head
