import { isJudgeFact } from '@jurist/core'

/** Keys of a context's metadata that always mean the same: nobody else can set them. */
export const reservedKeys: ReadonlySet<string> = new Set([
  ...['itemId', 'itemSlug', 'bucket', 'taskType', 'tags', 'noChange'],
  ...['repetition', 'variant', 'runId', 'experimentName', 'attempt', 'knowledge'],
  ...['sessionId', 'usage', 'costUsd', 'phases', 'plan', 'analysis'],
])

/** Whether an agent may not set a key: beside the reserved ones, those that judges judge by. */
export function isKeptFromAgents(key: string): boolean {
  return reservedKeys.has(key) || isJudgeFact(key)
}
