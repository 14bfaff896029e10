import type { Phase } from '@jurist/core'
import type { ExperimentResult, ItemResult } from '../../result/records.js'
import { type ExportRow, place, tokenColumns } from './row.js'

/** The phases of a trial as rows of the table `phases`. */
export function phaseRows(run: ExperimentResult, item: ItemResult): readonly ExportRow[] {
  return phasesOf(item).map((phase, index) => ({
    ...place(run, item),
    index,
    phase: phase.name,
    failed: phase.failed ?? false,
    turns: phase.turns ?? null,
    tool_calls: phase.toolUses?.length ?? null,
    tool_errors: phase.toolResults?.filter(({ failed }) => failed).length ?? null,
    elapsed_ms: phase.elapsedMs ?? null,
    api_ms: phase.apiMs ?? null,
    ...tokenColumns(phase.usage ?? null),
    cost_usd: phase.costUsd ?? null,
    session_id: phase.sessionId ?? null,
  }))
}

/** The tool calls of a trial as rows of the table `tools`, in order, each with its result. */
export function toolRows(run: ExperimentResult, item: ItemResult): readonly ExportRow[] {
  const calls = phasesOf(item).flatMap((phase) => {
    const results = new Map(phase.toolResults?.map((result) => [result.toolUseId, result]))
    return (phase.toolUses ?? []).map((use) => ({ phase: phase.name, use, result: results.get(use.id) }))
  })
  return calls.map(({ phase, use, result }, index) => ({
    ...place(run, item),
    index,
    phase,
    tool_use_id: use.id,
    tool: use.name,
    input: use.input,
    failed: result?.failed ?? null,
    result: result?.content ?? null,
  }))
}

function phasesOf({ detail }: ItemResult): readonly Phase[] {
  return detail?.kind === 'agent' ? (detail.invocation.phases ?? []) : []
}
