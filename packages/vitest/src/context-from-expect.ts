import { type AgentOutput, type ContextInput, JuristError, type Workspace } from '@jurist/core'
import { isPlainObject, printed } from '@jurist/core/internal'

/**
 * The argument of `expect` as parts of a context: a string or an `AgentOutput` is the agent's output, an object with the
 * methods `exists` and `read` is the workspace, another plain object is a context or parts of one.
 *
 * @throws `option-invalid` for anything else
 */
export function contextFromExpect(received: unknown): ContextInput {
  if (typeof received === 'string' || isOutput(received)) return { agentOutput: received }
  if (isWorkspace(received)) return { workspace: received }
  if (isPlainObject(received)) return received as ContextInput
  throw new JuristError(
    'option-invalid',
    `expect: a judge cannot look at ${printed(received)}. Pass an output (a string or an AgentOutput), a workspace, ` +
      'or a context (an object with parts such as workspace, agentOutput, goal).',
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
