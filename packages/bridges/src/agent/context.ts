import type { ExecutionStatus, Invocation, JudgmentContext } from '@jurist/core'
import { judgmentContext } from '@jurist/core'
import type { ContextExtras } from '../context/extras.js'
import { checkExtras, contextRules } from '../context/extras.js'
import { definedParts } from '../context/outcome.js'
import { runFacts } from '../context/run-facts.js'
import { sourceTexts } from '../context/source.js'

const statuses: { readonly [status in Invocation['status']]: ExecutionStatus } = {
  completed: 'success',
  refused: 'refused',
  timeout: 'timeout',
  error: 'failed',
  cancelled: 'cancelled',
}

/** What judges are told of the agent's run beside its outcome; an experiment tells the same. */
const facts = ['sessionId', 'usage', 'costUsd', 'phases'] as const

/**
 * A context of what became of an agent. Its status is the one that a bridge noted in the metadata, else that of the
 * invocation by name; the texts of retrieved sources are reference data where the caller gave none. Metadata: that of
 * the invocation, `sessionId`, `usage`, `costUsd` and `phases` of it, then the caller's.
 *
 * @throws `option-invalid`, or `metadata-reserved` for keys of the bridge that made the invocation
 *
 * @example
 * const invocation = await agent({ prompt: 'Say hello', workspace, signal })
 * const context = contextFromInvocation(invocation, { goal: 'Say hello', workspace })
 */
export function contextFromInvocation(invocation: Invocation, extras: ContextExtras): JudgmentContext {
  const { output, failure, elapsedMs, metadata = {} } = invocation
  const known = runFacts(metadata)
  const { metadata: given, ...checked } = checkExtras('contextFromInvocation', known?.bridge, extras, contextRules)
  const texts = sourceTexts(known?.sources ?? [])
  const told = facts.flatMap((fact) => (invocation[fact] === undefined ? [] : [[fact, invocation[fact]] as const]))
  return judgmentContext({
    ...definedParts({ agentOutput: output, failure, executionMs: elapsedMs }),
    ...(texts.length === 0 ? {} : { referenceData: texts }),
    ...checked,
    status: known?.status ?? statuses[invocation.status],
    metadata: { ...metadata, ...Object.fromEntries(told), ...given },
  })
}
