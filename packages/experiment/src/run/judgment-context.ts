import type { ExecutionStatus, JournalEvent, JudgmentContext, ToolStep, Workspace } from '@jurist/core'
import { executionStatus, executionStatuses, stepsOfEvents, stepsOfExecutions } from '@jurist/core/internal'
import type { DatasetItem } from '../dataset/item.js'
import { isKeptFromAgents, reservedKeys } from '../dataset/reserved-metadata.js'
import type { ExperimentInvocation } from '../invocation.js'
import { phaseEvents } from '../journal/journal-events.js'

/** The parts of a context for a jury. */
interface ContextParts {
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

/** The status that judges see: the one that a bridge recorded, otherwise the invocation's own. */
export function statusOf({ status, metadata }: ExperimentInvocation): ExecutionStatus {
  const recorded = bridgeFact(metadata, 'status')
  return executionStatus.holds(recorded) ? (recorded as ExecutionStatus) : executionStatuses[status]
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

/**
 * The tool calls of an agent's run: what a bridge observed, else what the agent recorded, else the tool uses of its phases.
 * `undefined` where none of them says anything of tools: then its calls are not known. A phase with `toolUses: []` says that
 * no tool was called.
 */
export function toolStepsOf(
  invocation: ExperimentInvocation,
  recorded: readonly JournalEvent[],
): readonly ToolStep[] | undefined {
  return observedSteps(invocation) ?? stepsOfEvents(recorded) ?? stepsOfPhases(invocation)
}

/** The tool calls that a bridge observed; `undefined` without one. */
export function observedSteps({ metadata }: ExperimentInvocation): readonly ToolStep[] | undefined {
  return stepsOfExecutions(bridgeFact(metadata, 'toolExecutions'))
}

function stepsOfPhases({ phases = [] }: ExperimentInvocation): readonly ToolStep[] | undefined {
  if (!phases.some(({ toolUses }) => toolUses !== undefined)) return undefined
  return stepsOfEvents(phaseEvents(phases, 'unknown')) ?? []
}

/** A fact that a bridge recorded in the metadata of its invocation. */
function bridgeFact(metadata: ExperimentInvocation['metadata'], name: string): unknown {
  const bridge = metadata?.['bridge']
  return typeof bridge === 'string' ? metadata?.[`${bridge}.${name}`] : undefined
}

/** What an agent records of its tools: the events that tool steps are made of. */
export interface ToolEvents {
  readonly add: (event: JournalEvent) => void
  readonly all: () => readonly JournalEvent[]
}

/** Collects the events that tool steps are made of, and drops the others. */
export function toolEvents(): ToolEvents {
  const kept: JournalEvent[] = []
  return {
    add(event) {
      if (isToolEvent(event)) kept.push(event)
    },
    all: () => kept,
  }
}

/** Whether tool steps are made of the event: calls, results, and the model calls that number the turns. */
export function isToolEvent({ type }: JournalEvent): boolean {
  return type === 'tool-call' || type === 'tool-result' || type === 'model-call'
}
