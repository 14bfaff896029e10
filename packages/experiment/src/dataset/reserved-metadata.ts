import type { JsonObject } from '@jurist/core'
import { isJudgeFact, printed } from '@jurist/core/internal'
import type { Spot } from './problem.js'

/** Keys of a context's metadata that only a run sets. */
export const reservedKeys: ReadonlySet<string> = new Set([
  ...['itemId', 'itemSlug', 'bucket', 'taskType', 'tags', 'noChange'],
  ...['repetition', 'variant', 'runId', 'experimentName', 'attempt', 'knowledge'],
  ...['testsLock', 'recordTests'],
  ...['sessionId', 'usage', 'costUsd', 'phases', 'plan', 'analysis'],
])

/** Whether an agent may not set a key: the reserved ones, and the facts that judges rely on. */
export function isKeptFromAgents(key: string): boolean {
  return reservedKeys.has(key) || isJudgeFact(key)
}

/** Warns about metadata of an item that no judge sees, because the run sets the same key. */
export function warnOfReservedKeys(metadata: JsonObject, { file, item, prefix, report }: Spot): void {
  for (const key of Object.keys(metadata)) {
    if (!reservedKeys.has(key)) continue
    const field = `${prefix === '' ? '' : `${prefix}.`}metadata.${key}`
    report({ file, item, field, problem: reservedProblem, remedy: reservedRemedy(key), severity: 'warning' })
  }
}

export const reservedProblem = 'is not seen by judges: a run sets this key itself.'

export function reservedRemedy(key: string): string {
  return `Rename it, such as ${printed(`own_${key}`)}.`
}
