import type { JournalEvent, Phase } from '@jurist/core'

/** The phases of an invocation as events, for agents that record nothing while they work. */
export function phaseEvents(phases: readonly Phase[], model: string): readonly JournalEvent[] {
  return phases.flatMap((phase) => [
    ...(phase.prompt === undefined ? [] : [{ type: 'prompt', phase: phase.name, text: phase.prompt } as const]),
    modelCall(phase, model),
    ...toolEvents(phase),
    ...(phase.text === undefined ? [] : [{ type: 'text', phase: phase.name, text: phase.text } as const]),
  ])
}

function modelCall({ name, usage, costUsd, elapsedMs }: Phase, model: string): JournalEvent {
  return {
    type: 'model-call',
    phase: name,
    model,
    ...(usage === undefined ? {} : { usage }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(elapsedMs === undefined ? {} : { elapsedMs }),
  }
}

/** Each call, followed by its result; results without a call come last. */
function toolEvents({ name, toolUses = [], toolResults = [] }: Phase): readonly JournalEvent[] {
  const results = new Map(toolResults.map((result) => [result.toolUseId, result]))
  const calls = toolUses.flatMap(({ id, name: tool, input }): readonly JournalEvent[] => {
    const call: JournalEvent = { type: 'tool-call', phase: name, id, name: tool, input }
    const result = results.get(id)
    results.delete(id)
    return result === undefined ? [call] : [call, resultEvent(result, name)]
  })
  return [...calls, ...[...results.values()].map((result) => resultEvent(result, name))]
}

function resultEvent(
  { toolUseId, content, failed }: NonNullable<Phase['toolResults']>[number],
  phase: string,
): JournalEvent {
  return { type: 'tool-result', phase, id: toolUseId, failed, content }
}
