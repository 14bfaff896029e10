import type { ExecutionStatus, Invocation, Json, Phase } from '@jurist/core'
import { asText } from '@jurist/core'
import type { ToolResult } from '@jurist/core/internal'
import type { RunOutcome } from '../context/outcome.js'
import { failureIn, metadataOf } from '../context/outcome.js'
import type { ToolExecution } from '../context/tool-execution.js'
import { withoutSecrets } from './secrets.js'

export interface InvocationParts {
  /** The prefix of the metadata keys. */
  readonly prefix: string
  readonly prompt: string
  readonly elapsedMs: number
  /** Values that are replaced by `***`. Default: none. */
  readonly secrets?: readonly string[]
}

const statuses: { readonly [status in ExecutionStatus]: Invocation['status'] } = {
  success: 'completed',
  unknown: 'completed',
  failed: 'error',
  refused: 'refused',
  timeout: 'timeout',
  cancelled: 'cancelled',
}

/** Includes the metadata of the bridge and one phase named `run`. */
export function invocationOf(outcome: RunOutcome, parts: InvocationParts): Invocation {
  const { prefix, elapsedMs, secrets = [] } = parts
  const { usage, costUsd, sessionId } = outcome.facts
  const failure = failureIn(outcome)
  const shown = {
    output: outcome.output,
    failure,
    sessionId,
    phases: Object.freeze([phaseOf(outcome, failure !== undefined, parts)]),
    metadata: metadataOf(prefix, outcome),
  }
  return Object.freeze({
    status: statuses[outcome.status],
    elapsedMs,
    usage,
    costUsd,
    ...withoutSecrets(shown, secrets),
  })
}

function phaseOf(outcome: RunOutcome, failed: boolean, { prompt, elapsedMs }: InvocationParts): Phase {
  const { usage, costUsd, sessionId, turns, toolExecutions = [] } = outcome.facts
  const text = asText(outcome.output)
  return Object.freeze({
    name: 'run',
    prompt,
    ...(text === '' ? {} : { text }),
    ...(usage === undefined ? {} : { usage }),
    ...(costUsd === undefined ? {} : { costUsd }),
    elapsedMs,
    ...(turns === undefined ? {} : { turns }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(failed ? { failed } : {}),
    toolUses: Object.freeze(toolExecutions.map(({ id, name, input }) => Object.freeze({ id, name, input }))),
    toolResults: Object.freeze(toolExecutions.flatMap((execution) => toolResultOf(execution) ?? [])),
  })
}

/** The result as a phase stores it; `undefined` if the tool returned nothing. */
export function toolResultOf(execution: ToolExecution): ToolResult | undefined {
  const { id, status, output, failure } = execution
  if (status === 'unfinished') return undefined
  const content = output === undefined ? (failure?.message ?? '') : resultText(output)
  return Object.freeze({ toolUseId: id, content, failed: status !== 'completed' })
}

function resultText(output: Json): string {
  return typeof output === 'string' ? output : JSON.stringify(output)
}
