import type { ExecutionStatus } from '@jurist/core'
import type { FinishOptions } from './extras.js'

/** How a framework spells the ends of an answer; what stands in no list is `unknown`. */
export interface FinishWords {
  readonly success: readonly string[]
  /** Cut by a token limit. */
  readonly truncated: readonly string[]
  readonly refused: readonly string[]
  readonly failed: readonly string[]
}

/** What a finish reason means. */
export interface Finish {
  readonly status: ExecutionStatus
  readonly truncated?: true
}

/**
 * The status of a finish reason. One that was never heard of is `unknown`, and so is none: never a success.
 *
 * @example
 * finishOf('length', { success: ['stop'], truncated: ['length'], refused: [], failed: [] }, {})
 * // { status: 'success', truncated: true }
 */
export function finishOf(reason: string | undefined, words: FinishWords, { onTruncated }: FinishOptions): Finish {
  if (reason === undefined) return { status: 'unknown' }
  if (words.truncated.includes(reason)) return { status: onTruncated ?? 'success', truncated: true }
  if (words.success.includes(reason)) return { status: 'success' }
  if (words.refused.includes(reason)) return { status: 'refused' }
  return { status: words.failed.includes(reason) ? 'failed' : 'unknown' }
}
