import type { ExecutionStatus, JournalEvent, JudgmentContext, Workspace } from '@jurist/core'
import type { DatasetItem } from '../dataset/item.js'
import { isKeptFromAgents, reservedKeys } from '../dataset/reserved-metadata.js'
import type { ExperimentInvocation } from '../invocation.js'
import { bridgeFact, toolStepsOf } from './tool-steps.js'

/** The parts of a context for a jury. */
export interface ContextParts {
  readonly item: DatasetItem
  /** As the agent left it. */
  readonly workspace: Workspace
  readonly before: Workspace | null
  readonly reference: Workspace | null
  readonly invocation: ExperimentInvocation
  /** What the agent recorded of its tools. Default: nothing. */
  readonly recorded?: readonly JournalEvent[]
  /** ISO 8601. */
  readonly startedAt: string
  /** Wins over that of the item, which wins over the invocation's. */
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

type Metadata = Readonly<Record<string, unknown>>

/**
 * The context that a jury gets for a trial: the task as its goal, the workspaces, the output, the tool calls and the outcome of
 * the agent, the item's right answer, and metadata. The invocation's metadata of a bridge counts: its `status`, and the texts of its
 * `sources` as reference data if the item has none.
 *
 * @example
 * const verdict = await jury.vote(contextOf({ item, workspace, before: null, reference: null, invocation, startedAt, signal }))
 */
export function contextOf(parts: ContextParts): JudgmentContext {
  const { item, workspace, before, reference, invocation, recorded = [], startedAt, signal } = parts
  const { output, turns, elapsedMs, failure } = invocation
  const toolSteps = toolStepsOf(invocation, recorded)
  const referenceData = item.referenceData.length > 0 ? item.referenceData : sourceTexts(invocation.metadata)
  return Object.freeze({
    goal: item.task,
    workspace,
    status: statusOf(invocation),
    startedAt,
    metadata: metadataOf(parts),
    signal,
    ...(output && { agentOutput: output }),
    ...(turns && { turns }),
    ...(toolSteps && { toolSteps }),
    ...(elapsedMs !== undefined && { executionMs: elapsedMs }),
    ...(failure && { failure }),
    ...(item.expectedOutput && { expectedOutput: item.expectedOutput }),
    ...(item.expectedAnyOf && { expectedAnyOf: true as const }),
    ...(referenceData.length > 0 && { referenceData }),
    ...(before && { before }),
    ...(reference && { reference }),
  })
}

const statuses: { readonly [status in ExperimentInvocation['status']]: ExecutionStatus } = {
  completed: 'success',
  refused: 'refused',
  timeout: 'timeout',
  error: 'failed',
  cancelled: 'cancelled',
}
const known: ReadonlySet<unknown> = new Set<ExecutionStatus>([...Object.values(statuses), 'unknown'])

/** The status that judges see: the one that a bridge recorded, otherwise the invocation's own. */
export function statusOf({ status, metadata }: ExperimentInvocation): ExecutionStatus {
  const recorded = bridgeFact(metadata, 'status')
  return known.has(recorded) ? (recorded as ExecutionStatus) : statuses[status]
}

/** The texts of the sources that a bridge recorded. */
export function sourceTexts(metadata: Metadata | undefined): readonly string[] {
  const sources = bridgeFact(metadata, 'sources')
  if (!Array.isArray(sources)) return []
  return sources.flatMap((source: { readonly text?: unknown } | null) =>
    typeof source?.text === 'string' ? [source.text] : [],
  )
}

function metadataOf({ item, invocation, metadata = {} }: ContextParts): Metadata {
  const merged: Record<string, unknown> = {}
  copyFree(invocation.metadata, merged, isKeptFromAgents)
  copyFree(item.metadata, merged, (key) => reservedKeys.has(key))
  Object.assign(merged, metadata)
  merged['itemId'] = item.id
  merged['itemSlug'] = item.slug
  merged['bucket'] = item.bucket
  merged['taskType'] = item.taskType
  merged['tags'] = item.tags
  merged['noChange'] = item.noChange
  if (item.testsLock !== undefined) merged['testsLock'] = item.testsLock
  // Rarely needed, and `delete` deoptimizes the object.
  for (const fact of facts) if (Object.hasOwn(merged, fact)) delete merged[fact]
  return Object.freeze(Object.assign(merged, factsOf(invocation)))
}

const facts = ['sessionId', 'usage', 'costUsd', 'phases', 'plan', 'analysis'] as const

/** The metadata about the agent's run that judges get. */
export function factsOf(invocation: ExperimentInvocation): Metadata {
  const known: Record<string, unknown> = {}
  for (const fact of facts) if (invocation[fact] !== undefined) known[fact] = invocation[fact]
  return known
}

/** Copies what is not reserved. */
function copyFree(from: Metadata | undefined, to: Record<string, unknown>, isReserved: (key: string) => boolean): void {
  if (from === undefined) return
  for (const [key, value] of Object.entries(from)) if (!isReserved(key)) to[key] = value
}
