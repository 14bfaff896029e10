import type { JournalEvent } from '@jurist/core'
import type { ToolCall } from './tool-state.js'

/** One tool call with what came of it. */
export interface ToolStep {
  readonly call: ToolCall
  readonly state: string
  /** `null`: no result is recorded. */
  readonly result: { readonly failed: boolean; readonly content: string } | null
}

/** The tool calls in order, each with its own result: that of the same id, the first one that no call has yet. */
export function toolSteps(events: readonly JournalEvent[], classify: (call: ToolCall) => string): readonly ToolStep[] {
  const steps: { call: ToolCall; state: string; result: ToolStep['result'] }[] = []
  const waiting = new Map<string, { result: ToolStep['result'] }[]>()
  for (const event of events) {
    if (event.type === 'tool-call') {
      const step = { call: event, state: classify(event), result: null }
      steps.push(step)
      const same = waiting.get(event.id)
      if (same === undefined) waiting.set(event.id, [step])
      else same.push(step)
    } else if (event.type === 'tool-result') {
      const step = waiting.get(event.id)?.shift()
      if (step !== undefined) step.result = { failed: event.failed, content: event.content }
    }
  }
  return steps
}
