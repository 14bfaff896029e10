import { isPlainObject, pointer } from '@jurist/core/internal'
import type { ItemResult } from '../result/records.js'
import { recordInvalid } from './stored-record.js'

const text = (value: unknown): boolean => typeof value === 'string'
/** `1e999` is read as infinity. */
const amount = (value: unknown): boolean => Number.isFinite(value)
const record = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
const textOrNull = (value: unknown): boolean => value === null || text(value)
const amountOrNull = (value: unknown): boolean => value === null || amount(value)
const recordOrNull = (value: unknown): boolean => typeof value === 'object' && !Array.isArray(value)
const agents = new Set<unknown>(['completed', 'timeout', 'error', 'setup-error', 'cancelled'])
const outcomes = new Set<unknown>(['pass', 'fail', 'abstain', 'error', 'not-judged'])

type Line = { readonly [key in keyof ItemResult]?: unknown }

/**
 * What each field of a line must be. Records inside, such as verdicts, are checked by those who read them. Each rule takes
 * its field out of the line itself, which is four times as quick as a loop that does it by name.
 */
const fields: { readonly [key in keyof ItemResult]: (line: Line) => boolean } = {
  itemId: ({ itemId }) => text(itemId),
  itemSlug: ({ itemSlug }) => text(itemSlug),
  itemHash: ({ itemHash }) => text(itemHash),
  repetition: ({ repetition }) => Number.isSafeInteger(repetition) && (repetition as number) >= 1,
  bucket: ({ bucket }) => text(bucket),
  taskType: ({ taskType }) => text(taskType),
  tags: ({ tags }) => Array.isArray(tags),
  task: ({ task }) => text(task),
  agent: ({ agent }) => agents.has(agent),
  judged: ({ judged }) => outcomes.has(judged),
  passed: ({ passed }) => passed === null || typeof passed === 'boolean',
  failure: ({ failure }) => recordOrNull(failure),
  attempts: ({ attempts }) => Array.isArray(attempts),
  startedAt: ({ startedAt }) => text(startedAt),
  endedAt: ({ endedAt }) => text(endedAt),
  durationMs: ({ durationMs }) => amount(durationMs),
  setupMs: ({ setupMs }) => amount(setupMs),
  agentMs: ({ agentMs }) => amount(agentMs),
  juryMs: ({ juryMs }) => amount(juryMs),
  usage: ({ usage }) => recordOrNull(usage),
  judgeUsage: ({ judgeUsage }) => recordOrNull(judgeUsage),
  costUsd: ({ costUsd }) => amountOrNull(costUsd),
  judgeCostUsd: ({ judgeCostUsd }) => amountOrNull(judgeCostUsd),
  scores: ({ scores }) => isScores(scores),
  efficiency: ({ efficiency }) => recordOrNull(efficiency),
  verdict: ({ verdict }) => recordOrNull(verdict),
  detail: ({ detail }) => recordOrNull(detail),
  workspacePath: ({ workspacePath }) => textOrNull(workspacePath),
  referencePath: ({ referencePath }) => textOrNull(referencePath),
  beforePath: ({ beforePath }) => textOrNull(beforePath),
  journalPath: ({ journalPath }) => textOrNull(journalPath),
  metadata: ({ metadata }) => record(metadata),
}

function isScores(scores: unknown): boolean {
  if (!record(scores)) return false
  const numbers = scores as { readonly [name: string]: unknown }
  for (const name in numbers) if (!amount(numbers[name])) return false
  return true
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
    if (!test(value)) recordInvalid(path, pointer([key]), `line ${line} has no valid "${key}"`)
  shareNothing(value)
  let known = 0
  for (const _ in value) known += 1
  if (known === rules.length) return value as unknown as ItemResult
  return Object.fromEntries(rules.map(([key]) => [key, value[key]])) as unknown as ItemResult
}

const nobody: readonly never[] = Object.freeze([])
const nothing = Object.freeze({})

/** One empty list and one empty record for all trials of a long run, most of which have no tags and no metadata. */
function shareNothing(value: Record<string, unknown>): void {
  if ((value['tags'] as readonly unknown[]).length === 0) value['tags'] = nobody
  if ((value['attempts'] as readonly unknown[]).length === 0) value['attempts'] = nobody
  if (isEmpty(value['metadata'] as object)) value['metadata'] = nothing
}

function isEmpty(record: object): boolean {
  for (const _ in record) return false
  return true
}
