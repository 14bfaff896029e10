/**
 * Judges stored runs again, without calling the agent.
 *
 * @example
 * import { outputText } from '@jurist/core'
 * import { rejudge } from '@jurist/experiment/rejudge'
 *
 * const { result } = rejudge('20261121T091500123Z-4kq7rm', outputText({ equals: '4' }), { store: 'results' })
 * console.log((await result).passRate)
 */
import '../errors.js'

export { rejudge } from './rejudge.js'
export type { RejudgeContext, RejudgeOptions, SkipReason, StoredWorkspaces } from './rejudge-options.js'
export { type StoredContextOptions, storedContext } from './stored-context.js'
