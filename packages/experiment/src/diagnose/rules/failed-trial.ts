import type { DiagnosticRule } from '../diagnosis.js'
import { rule } from './rule.js'

/** The agent broke or ran out of time by its own doing. */
export const agentFailed: DiagnosticRule = rule({
  id: 'agent-failed',
  description: 'The agent broke or ran out of time.',
  category: 'execution',
  explain({ item, path }) {
    const { agent, failure } = item
    if (path !== '' || failure === null || failure.infrastructure || failure.origin !== 'agent') return null
    return `The agent ended with ${agent}: ${failure.message}`
  },
  remedy: {
    target: 'agent',
    action: 'investigate',
    summary: 'Find out why the agent did not finish.',
    detail: 'Read its journal to the last event; give it more time only if it was still getting on.',
    confidence: 'medium',
  },
})

/** The trial never began, or its surroundings failed. */
export const setupFailed: DiagnosticRule = rule({
  id: 'setup-failed',
  description: 'The workspace, a hook or the surroundings failed.',
  category: 'environment',
  explain({ item, path }) {
    const { failure } = item
    if (path !== '' || failure === null) return null
    if (!failure.infrastructure && failure.origin !== 'setup' && failure.origin !== 'hook') return null
    return `The ${failure.origin} failed: ${failure.message}`
  },
  remedy: {
    target: 'environment',
    action: 'change',
    summary: 'Mend the surroundings, then run these trials again.',
    detail: 'They decided nothing: resume the run with retryErrors.',
    confidence: 'high',
  },
})
