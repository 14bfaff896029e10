import { type AgentOutput, type ContextInput, JuristError, type Workspace } from '@jurist/core'
import { isPlainObject, printed } from '@jurist/core/internal'

/**
 * What was handed to `expect`, as parts of a context: a text or an output is the agent's output, an object that can
 * `exists` and `read` is the workspace, another object is a context or its parts.
 *
 * @throws `option-invalid` naming the three forms
 */
export function contextOfReceived(received: unknown): ContextInput {
  if (typeof received === 'string' || isOutput(received)) return { agentOutput: received }
  if (isWorkspace(received)) return { workspace: received }
  if (isPlainObject(received)) return received as ContextInput
  throw new JuristError(
    'option-invalid',
    `expect() was given ${printed(received)}. Give it what a judge can look at: an output (a string or an AgentOutput), ` +
      'a workspace, or a context (an object with parts such as workspace, agentOutput, goal).',
    { option: 'received' },
  )
}

const outputTypes: ReadonlySet<unknown> = new Set<AgentOutput['type']>(['text', 'structured', 'multimodal'])

function isOutput(value: unknown): value is AgentOutput {
  return isPlainObject(value) && outputTypes.has(value['type'])
}

function isWorkspace(value: unknown): value is Workspace {
  if (typeof value !== 'object' || value === null) return false
  const { exists, read } = value as { readonly exists?: unknown; readonly read?: unknown }
  return typeof exists === 'function' && typeof read === 'function'
}
