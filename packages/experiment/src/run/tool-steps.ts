import type { JournalEvent, ToolStep } from '@jurist/core'
import { stepsOfEvents, stepsOfExecutions } from '@jurist/core/internal'
import type { ExperimentInvocation } from '../invocation.js'
import { phaseEvents } from '../journal/phase-events.js'

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
export function bridgeFact(metadata: ExperimentInvocation['metadata'], name: string): unknown {
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
