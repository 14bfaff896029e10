import { pathsFromRoot } from '../coding/inside.js'
import type { Look } from '../context/look.js'
import { isList } from '../context/look.js'
import type { ToolCall, ToolExecution, ToolOutcome } from '../context/tool-execution.js'
import { joinTools } from '../context/tool-execution.js'

/** The blocks of an assistant's or a user's message that have this type. */
export function blocksOf(message: Look, type: string): readonly Look[] {
  const content = message.get('message').get('content')
  return isList(content.value) ? content.list().filter((block) => block.get('type').value === type) : []
}

/** The executions of a run; those that were denied are named by the result. */
export function toolsIn(
  messages: readonly Look[],
  denied: ReadonlySet<unknown>,
  root?: string,
): readonly ToolExecution[] {
  const steps = new Map<unknown, number>()
  const calls: ToolCall[] = []
  const outcomes: ToolOutcome[] = []
  for (const message of messages) {
    const type = message.get('type').value
    if (type === 'assistant') {
      const id = message.get('message').get('id').value
      if (!steps.has(id)) steps.set(id, steps.size)
      for (const use of blocksOf(message, 'tool_use')) calls.push(callIn(use, message, steps.get(id) ?? 0, root))
    }
    if (type === 'user') for (const result of blocksOf(message, 'tool_result')) outcomes.push(outcomeIn(result, denied))
  }
  const told = new Set(outcomes.map(({ id }) => id))
  const untold = calls.filter(({ id }) => id !== undefined && denied.has(id) && !told.has(id))
  return joinTools(calls, [...outcomes, ...untold.map(({ id }) => ({ id, status: 'denied' as const }))])
}

function callIn(use: Look, message: Look, step: number, root: string | undefined): ToolCall {
  const input = use.get('input')
  return {
    id: use.get('id').text(),
    name: use.get('name').text(),
    kind: message.get('parent_tool_use_id').present ? 'subagent' : undefined,
    step,
    input: input.value ?? null,
    paths: pathsFromRoot(root, pathsIn(input), use.warnings),
  }
}

function pathsIn(input: Look): readonly string[] {
  if (typeof input.value !== 'object') return []
  return [input.get('file_path').value, input.get('notebook_path').value].filter(
    (path): path is string => typeof path === 'string',
  )
}

function outcomeIn(result: Look, denied: ReadonlySet<unknown>): ToolOutcome {
  const id = result.get('tool_use_id').text()
  const failed = result.get('is_error').flag() === true
  const status = denied.has(id) ? 'denied' : failed ? 'failed' : 'completed'
  return { id, output: contentOf(result), status }
}

/** The content of a result: its text, where it is nothing but text. */
export function contentOf(result: Look): unknown {
  const content = result.get('content')
  if (!isList(content.value)) return content.value
  const parts = content.list()
  if (!parts.every((part) => part.get('type').value === 'text')) return content.value
  return parts.map((part) => part.get('text').text() ?? '').join('\n')
}
