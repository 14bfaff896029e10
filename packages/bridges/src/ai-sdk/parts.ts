import { failureOf } from '@jurist/core/internal'
import type { Look } from '../context/look.js'
import type { RetrievedSource } from '../context/source.js'
import { metadataIn } from '../context/source.js'
import type { ToolCall, ToolExecution, ToolOutcome } from '../context/tool-execution.js'
import { joinTools } from '../context/tool-execution.js'

/** The tools of all steps, joined: `step` is the place of the step that called. */
export function toolsIn(steps: readonly Look[]): readonly ToolExecution[] {
  const calls = steps.flatMap((step, index) =>
    step
      .get('toolCalls')
      .list()
      .map((call) => callIn(call, index)),
  )
  const results = steps.flatMap((step, index) => [
    ...step
      .get('toolResults')
      .list()
      .flatMap((result) => resultIn(result, index)),
    ...step
      .get('content')
      .list()
      .flatMap((part) => endIn(part, index)),
  ])
  return joinTools(calls, results)
}

function callIn(call: Look, step: number): ToolCall {
  const error = call.get('error')
  return {
    id: call.get('toolCallId').text(),
    name: call.get('toolName').text(),
    step,
    input: call.get('input').value,
    invalid: call.get('invalid').flag(),
    failure: error.present ? failureOf(error.value) : undefined,
  }
}

function resultIn(result: Look, step: number): readonly ToolOutcome[] {
  // A preliminary result is followed by the final one.
  if (result.get('preliminary').value === true) return []
  return [
    {
      id: result.get('toolCallId').text(),
      name: result.get('toolName').text(),
      step,
      output: result.get('output').value,
    },
  ]
}

/** A tool that failed or was not allowed stands among the content only. */
function endIn(part: Look, step: number): readonly ToolOutcome[] {
  const type = part.get('type').value
  const same = { id: part.get('toolCallId').text(), name: part.get('toolName').text(), step }
  if (type === 'tool-output-denied') return [{ ...same, status: 'denied' }]
  if (type !== 'tool-error') return []
  return [{ ...same, status: 'failed', failure: failureOf(part.get('error').value) }]
}

/** A source of the AI SDK; one without an id is named by its address or title. */
export function sourceIn(source: Look): readonly RetrievedSource[] {
  const url = source.get('url').text()
  const title = source.get('title').text() ?? source.get('filename').text()
  const mediaType = source.get('mediaType').text()
  const id = source.get('id').text() ?? url ?? title
  const metadata = metadataIn(source.get('providerMetadata'))
  if (id === undefined) return []
  return [
    {
      id,
      type: source.get('sourceType').value === 'document' ? 'document' : 'url',
      ...(title === undefined ? {} : { title }),
      ...(url === undefined ? {} : { url }),
      ...(mediaType === undefined ? {} : { mediaType }),
      ...(metadata === undefined ? {} : { metadata }),
    },
  ]
}
