import type { ContextInput, JudgmentContext } from '../context.js'
import { judgmentContext } from '../context.js'
import { memoryWorkspace } from './memory-workspace.js'

/**
 * A context for tests: goal `'do the task'`, an empty workspace in memory, status `'success'`, and whatever is given.
 *
 * @example
 * await runJudge(outputText({ contains: 'done' }), aContext({ agentOutput: 'done' }))
 */
export function aContext(input?: ContextInput): JudgmentContext {
  return judgmentContext({ goal: 'do the task', workspace: memoryWorkspace(), status: 'success', ...input })
}
