import { isPlainObject, pointer } from '@jurist/core'
import type { ItemResult } from '../result/records.js'
import { recordInvalid } from './stored-record.js'

type Test = (value: unknown) => boolean

const text: Test = (value) => typeof value === 'string'
const amount: Test = (value) => typeof value === 'number'
const record: Test = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const list: Test = (value) => Array.isArray(value)
const orNull =
  (test: Test): Test =>
  (value) =>
    value === null || test(value)
const oneOf =
  (...values: readonly unknown[]): Test =>
  (value) =>
    values.includes(value)

/** What each field of a line must be. Records inside, such as verdicts, are checked by those who read them. */
const fields: { readonly [key in keyof ItemResult]: Test } = {
  itemId: text,
  itemSlug: text,
  itemHash: text,
  repetition: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  bucket: text,
  taskType: text,
  tags: list,
  task: text,
  agent: oneOf('completed', 'timeout', 'error', 'setup-error', 'cancelled'),
  judged: oneOf('pass', 'fail', 'abstain', 'error', 'not-judged'),
  passed: oneOf(true, false, null),
  failure: orNull(record),
  attempts: list,
  startedAt: text,
  endedAt: text,
  durationMs: amount,
  setupMs: amount,
  agentMs: amount,
  juryMs: amount,
  usage: orNull(record),
  judgeUsage: orNull(record),
  costUsd: orNull(amount),
  judgeCostUsd: orNull(amount),
  scores: (value) => record(value) && Object.values(value as object).every(amount),
  efficiency: orNull(record),
  verdict: orNull(record),
  detail: orNull(record),
  workspacePath: orNull(text),
  referencePath: orNull(text),
  beforePath: orNull(text),
  journalPath: orNull(text),
  metadata: record,
}

const rules = Object.entries(fields)

/**
 * The trial in a line of `items.jsonl`: its fields checked, unknown ones dropped.
 *
 * @throws `record-invalid` naming line and field
 */
export function itemFromLine(value: unknown, path: string, line: number): ItemResult {
  if (!isPlainObject(value)) return recordInvalid(path, '', `line ${line} is no record of a trial`)
  for (const [key, test] of rules)
    if (!test(value[key])) recordInvalid(path, pointer([key]), `line ${line} has no valid "${key}"`)
  if (Object.keys(value).length === rules.length) return value as unknown as ItemResult
  return Object.fromEntries(rules.map(([key]) => [key, value[key]])) as unknown as ItemResult
}
