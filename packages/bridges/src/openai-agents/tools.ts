import type { Look } from '../context/look.js'
import type { ToolCall, ToolExecution, ToolOutcome } from '../context/tool-execution.js'
import { joinTools, readArguments } from '../context/tool-execution.js'

/** The tools of a run, joined by the id of the call; a handoff counts as a tool. `step` is the place of the response. */
export function toolsIn(items: readonly Look[], responses: readonly Look[]): readonly ToolExecution[] {
  const steps = stepsOf(responses)
  const calls: ToolCall[] = []
  const outcomes: ToolOutcome[] = []
  for (const item of items) {
    const raw = item.get('rawItem')
    const id = idOf(raw)
    switch (item.get('type').value) {
      case 'tool_call_item':
        calls.push({ ...callIn(raw, id), step: steps.get(id ?? '') })
        break
      case 'handoff_call_item':
        calls.push({ ...callIn(raw, id), name: 'handoff', step: steps.get(id ?? '') })
        break
      case 'tool_call_output_item':
        outcomes.push({ id, output: item.get('output').value ?? raw.get('output').value })
        break
      case 'handoff_output_item':
        outcomes.push({ id, name: 'handoff', output: raw.get('output').value })
        break
      default:
    }
  }
  return joinTools(calls, outcomes)
}

/** Calls of hosted tools have an id of their own alone. */
function idOf(raw: Look): string | undefined {
  return raw.get('callId').text() ?? raw.get('id').text()
}

function callIn(raw: Look, id: string | undefined): ToolCall {
  const { input, invalid } = readArguments(raw.get('arguments').value)
  return { id, name: raw.get('name').text() ?? raw.get('type').text(), input: input ?? null, invalid }
}

/** Which response asked for each call. */
function stepsOf(responses: readonly Look[]): ReadonlyMap<string, number> {
  const steps = new Map<string, number>()
  for (const [step, response] of responses.entries())
    for (const item of response.get('output').list()) {
      const id = idOf(item)
      if (id !== undefined && !steps.has(id)) steps.set(id, step)
    }
  return steps
}
