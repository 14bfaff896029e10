import type { ExecutionStatus, Invocation, Json, Phase, ToolResult } from '@jurist/core'
import { asText } from '@jurist/core'
import type { RunOutcome } from '../context/outcome.js'
import { failureIn, metadataOf } from '../context/outcome.js'
import type { ToolExecution } from '../context/tool-execution.js'
import { withoutSecrets } from './secrets.js'

/** What an invocation needs beside an outcome. */
export interface InvocationParts {
  /** That of the bridge. */
  readonly prefix: string
  readonly prompt: string
  readonly elapsedMs: number
  /** Replaced by `***` in everything that is told. Default: none. */
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

/** What a bridge read, as an invocation with the metadata of the bridge and one phase `run`. */
export function invocationOf(outcome: RunOutcome, parts: InvocationParts): Invocation {
  const { prefix, elapsedMs, secrets = [] } = parts
  const { usage, costUsd, sessionId } = outcome.facts
  const failure = failureIn(outcome)
  const told = {
    ...(outcome.output === undefined ? {} : { output: outcome.output }),
    ...(failure === undefined ? {} : { failure }),
    ...(sessionId === undefined ? {} : { sessionId }),
    phases: Object.freeze([phaseOf(outcome, failure !== undefined, parts)]),
    metadata: metadataOf(prefix, outcome),
  }
  return Object.freeze({
    status: statuses[outcome.status],
    elapsedMs,
    ...(usage === undefined ? {} : { usage }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...withoutSecrets(told, secrets),
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

/** The result of an execution as a phase keeps it; `undefined` where the tool gave none. */
export function toolResultOf(execution: ToolExecution): ToolResult | undefined {
  const { id, status, output, failure } = execution
  if (status === 'unfinished') return undefined
  const content = output === undefined ? (failure?.message ?? '') : resultText(output)
  return Object.freeze({ toolUseId: id, content, failed: status !== 'completed' })
}

function resultText(output: Json): string {
  return typeof output === 'string' ? output : JSON.stringify(output)
}
