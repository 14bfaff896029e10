import type { ExperimentResult, ItemResult } from '../result/records.js'

/**
 * A run with its summary as JSON, its keys always in the same order: who runs it, how it went, what follows, what
 * happened. Two equal results give the same bytes.
 *
 * @example
 * await writeFile('result.json', jsonReport(result))
 */
export function jsonReport(result: ExperimentResult): string {
  const head = pick(result, headKeys)
  const items = result.items.map((item) => pick(item, itemKeys))
  return `${JSON.stringify({ ...head, items }, null, 2)}\n`
}

function pick<Value extends object>(value: Value, keys: { readonly [key in keyof Value]: true }): Partial<Value> {
  return Object.fromEntries(Object.keys(keys).map((key) => [key, value[key as keyof Value]])) as Partial<Value>
}

const headKeys: { readonly [key in keyof ExperimentResult]: true } = {
  schemaVersion: true,
  id: true,
  experimentName: true,
  kind: true,
  status: true,
  stopReason: true,
  variant: true,
  session: true,
  baseline: true,
  lineage: true,
  startedAt: true,
  endedAt: true,
  durationMs: true,
  dataset: true,
  code: true,
  environment: true,
  conditions: true,
  configuration: true,
  jury: true,
  knowledge: true,
  metadata: true,
  planned: true,
  counts: true,
  passCount: true,
  failCount: true,
  passRate: true,
  passRateOfAll: true,
  passRateInterval: true,
  passAtK: true,
  flakyItems: true,
  scores: true,
  efficiency: true,
  usage: true,
  judgeUsage: true,
  costUsd: true,
  judgeCostUsd: true,
  unpricedTrials: true,
  agentMs: true,
  byBucket: true,
  items: true,
}

const itemKeys: { readonly [key in keyof ItemResult]: true } = {
  itemId: true,
  itemSlug: true,
  itemHash: true,
  repetition: true,
  bucket: true,
  taskType: true,
  tags: true,
  task: true,
  agent: true,
  judged: true,
  passed: true,
  failure: true,
  attempts: true,
  startedAt: true,
  endedAt: true,
  durationMs: true,
  setupMs: true,
  agentMs: true,
  juryMs: true,
  usage: true,
  judgeUsage: true,
  costUsd: true,
  judgeCostUsd: true,
  scores: true,
  efficiency: true,
  verdict: true,
  detail: true,
  workspacePath: true,
  referencePath: true,
  beforePath: true,
  journalPath: true,
  metadata: true,
}
