import type { FinishOptions } from '../context/extras.js'
import type { RunOutcome } from '../context/outcome.js'
import { anthropicReasons, finishOf, textOutcome } from '../context/outcome.js'
import type { SafeReader } from '../context/safe-reader.js'
import { isObject, isReadableArray, propertyOf, readSafely } from '../context/safe-reader.js'
import type { RetrievedSource } from '../context/sources.js'
import { uniqueSources } from '../context/sources.js'
import type { ToolCall, ToolOutcome } from '../context/tool-execution.js'
import { joinTools } from '../context/tool-execution.js'
import { anthropicUsage, reportedUsage } from '../context/usage.js'

export interface AnthropicReading {
  readonly outcome: RunOutcome
  readonly text: string
  /** Whether the value is an error object instead of a message. */
  readonly reportsError: boolean
  readonly blocks: readonly SafeReader[]
  readonly isMessage: boolean
}

/** Malformed parts are left out and add warnings. */
export function readAnthropic(value: unknown, options: FinishOptions = {}): AnthropicReading {
  const warnings: string[] = []
  const root = readSafely(value, warnings)
  const blocks = root.get('content').array()
  const reportsError = root.get('error').present
  const text = blocks.map((block) => (typeOf(block) === 'text' ? (block.get('text').string() ?? '') : '')).join('')
  const finishReason = root.get('stop_reason').string()
  const { status, truncated } = finishOf(finishReason, anthropicReasons, options)
  const usage = root.get('usage')
  const outcome: RunOutcome = {
    status: reportsError ? 'failed' : status,
    output: textOutcome(text),
    facts: {
      model: root.get('model').string(),
      responseId: root.get('id').string(),
      finishReason,
      truncated,
      usage: anthropicUsage(usage),
      usageReported: reportedUsage([usage]),
      toolExecutions: root.present ? joinTools(blocks.flatMap(toolCallIn), blocks.flatMap(toolResultIn)) : undefined,
      sources: uniqueSources(blocks.flatMap(pagesIn)),
      warnings,
    },
  }
  return { outcome, text, reportsError, blocks, isMessage: isReadableArray(root.get('content').value) }
}

function typeOf(block: SafeReader): string {
  return block.get('type').string() ?? ''
}

function toolCallIn(block: SafeReader): readonly ToolCall[] {
  const type = typeOf(block)
  if (!type.endsWith('tool_use')) return []
  const kind = type === 'tool_use' ? undefined : type
  return [{ id: block.get('id').string(), name: block.get('name').string(), kind, input: block.get('input').value }]
}

function toolResultIn(block: SafeReader): readonly ToolOutcome[] {
  if (!typeOf(block).endsWith('tool_result')) return []
  const output = block.get('content').value
  const failed = block.get('is_error').value === true || errorTypes.test(contentType(output))
  return [{ id: block.get('tool_use_id').string(), output, status: failed ? 'failed' : 'completed' }]
}

const errorTypes = /_error$/

function contentType(output: unknown): string {
  const type = isObject(output) ? propertyOf(output, 'type') : undefined
  return typeof type === 'string' ? type : ''
}

function pagesIn(block: SafeReader): readonly RetrievedSource[] {
  if (typeOf(block) !== 'web_search_tool_result' || !isReadableArray(block.get('content').value)) return []
  return block
    .get('content')
    .array()
    .flatMap((page): readonly RetrievedSource[] => {
      const url = page.get('url').string()
      const title = page.get('title').string()
      return url === undefined ? [] : [{ id: url, type: 'url', url, title }]
    })
}
