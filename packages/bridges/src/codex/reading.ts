import type { Failure, Json, Usage } from '@jurist/core'
import { endFailure } from '../coding/failures.js'
import { pathsFromRoot } from '../coding/relative-path.js'
import { type RunOutcome, textOutcome } from '../context/outcome.js'
import { isList, type Look, lookInto } from '../context/safe-reader.js'
import { toJson } from '../context/to-json.js'
import { joinTools, type ToolCall, type ToolExecution, type ToolOutcome } from '../context/tool-execution.js'
import { usageFrom } from '../context/usage.js'
import { isInfrastructureStatus } from '../run/classify-error.js'

/**
 * Reads the events of a turn, or what `thread.run` resolved to, with care. Codex tells neither a finish reason nor a cost
 * nor the model.
 *
 * @param root the directory of the workspace, for paths
 */
export function readCodex(value: unknown, root?: string): RunOutcome {
  const warnings: string[] = []
  const whole = lookInto(value, warnings)
  const areEvents = isList(value)
  const events = areEvents ? whole.list().filter((event) => typeof event.value === 'object') : []
  const named = (type: string) => events.filter((event) => event.get('type').value === type)
  const items = areEvents ? lastStates(events) : whole.get('items').list()
  const completed = named('turn.completed')
  const usages = areEvents ? completed.map((event) => event.get('usage')) : [whole.get('usage')]
  const usage = usages.findLast((look) => look.present) ?? lookInto(undefined, warnings)
  const toolExecutions = whole.present ? executionsOf(items, root) : undefined
  const denied = toolExecutions?.filter(({ status }) => status === 'denied')
  for (const event of named('error')) warnings.push(`error: ${event.get('message').text() ?? 'unknown'}`)
  for (const item of items)
    if (item.get('type').value === 'error') warnings.push(`error: ${item.get('message').text() ?? 'unknown'}`)
  return {
    ...endingOf(named('turn.failed').at(-1), areEvents ? completed.length > 0 : usage.present),
    output: textOutcome(areEvents ? lastMessage(items) : (whole.get('finalResponse').text() ?? lastMessage(items))),
    facts: {
      sessionId: named('thread.started').at(-1)?.get('thread_id').text(),
      turns: completed.length > 0 ? completed.length : undefined,
      usage: usageOf(usage),
      usageReported: usage.present ? toJson(usage.value) : undefined,
      toolExecutions,
      permissionDenials: denied?.map(({ name, id }) => ({ tool: name, id })),
      warnings,
    },
  }
}

/** Each item as it was told last, in the order in which it was first told. */
function lastStates(events: readonly Look[]): readonly Look[] {
  const states = new Map<unknown, Look>()
  for (const event of events) {
    if (!(event.get('type').text() ?? '').startsWith('item.')) continue
    const item = event.get('item')
    states.set(item.get('id').value ?? item, item)
  }
  return [...states.values()]
}

function lastMessage(items: readonly Look[]): string | undefined {
  return items
    .findLast((item) => item.get('type').value === 'agent_message')
    ?.get('text')
    .text()
}

function executionsOf(items: readonly Look[], root: string | undefined): readonly ToolExecution[] {
  const tools = items.flatMap((item, step) => toolIn(item, step, root) ?? [])
  return joinTools(
    tools.map(({ call }) => call),
    tools.flatMap(({ outcome }) => outcome ?? []),
  )
}

function endingOf(failed: Look | undefined, isComplete: boolean): Pick<RunOutcome, 'status' | 'failure'> {
  if (failed !== undefined) return { status: 'failed', failure: turnFailure(failed) }
  return { status: isComplete ? 'success' : 'unknown' }
}

/** The form in which Codex tells the status of its service; there is no field for it. */
const statusForm = /\bstatus(?: code)?:? (\d{3})\b/

/** How Codex says that its service cannot be reached, is too busy, or wants to be paid; there is no field for it. */
const troubleForm =
  /stream disconnected|connection (failed|closed|reset|refused)|error sending request|timed out|usage limit|quota|high demand|at capacity|overloaded/i

/** A turn that failed for anything else, such as a full context, will fail again. */
function turnFailure(failed: Look): Failure {
  const message = failed.get('error').get('message').text() ?? 'it did not say why'
  const [, status] = statusForm.exec(message) ?? []
  if (status === undefined) return endFailure('turn-failed', message, troubleForm.test(message))
  return endFailure(`http-${status}`, message, isInfrastructureStatus(Number(status)))
}

/** The usage of a turn; Codex counts what came from the cache as input. */
export function usageOf(usage: Look): Usage | undefined {
  return usageFrom(
    {
      inputTokens: usage.get('input_tokens'),
      cacheReadTokens: usage.get('cached_input_tokens'),
      cacheWriteTokens: usage.get('cache_write_input_tokens'),
      outputTokens: usage.get('output_tokens'),
      reasoningTokens: usage.get('reasoning_output_tokens'),
    },
    usage.warnings,
  )
}

/** One item of a turn that is the use of a tool. */
export interface ItemTool {
  readonly call: ToolCall
  /** Absent while it runs. */
  readonly outcome: ToolOutcome | undefined
}

/** The use of a tool that an item tells of; `undefined` for other items. */
export function toolIn(item: Look, step: number, root: string | undefined): ItemTool | undefined {
  const id = item.get('id').text()
  const tool = (
    name: string,
    input: unknown,
    outcome: Omit<ToolOutcome, 'id'> | undefined,
    paths?: readonly string[],
  ) => ({
    call: { id, name, step, input: input ?? null, paths },
    outcome: outcome && { id, ...outcome },
  })
  switch (item.get('type').value) {
    case 'command_execution':
      return tool('shell', { command: item.get('command').text() ?? '' }, shellOutcome(item))
    case 'file_change': {
      const { input, paths } = changesIn(item, root)
      return tool('apply_patch', input, plainOutcome(item), paths)
    }
    case 'mcp_tool_call': {
      const name = `${item.get('server').text() ?? 'unknown'}.${item.get('tool').text() ?? 'unknown'}`
      return tool(name, item.get('arguments').value, mcpOutcome(item))
    }
    case 'web_search':
      return tool('web_search', { query: item.get('query').text() ?? '' }, { status: 'completed' })
    default:
      return undefined
  }
}

function shellOutcome(item: Look): Omit<ToolOutcome, 'id'> | undefined {
  const code = item.get('exit_code').number()
  if (code === undefined && item.get('status').value !== 'declined') return undefined
  const output = item.get('aggregated_output').text() ?? ''
  return { output, status: code === 0 ? 'completed' : code === undefined ? 'denied' : 'failed' }
}

function plainOutcome(item: Look): Omit<ToolOutcome, 'id'> | undefined {
  const status = item.get('status').value
  if (status === 'in_progress') return undefined
  return { status: status === 'failed' ? 'failed' : status === 'declined' ? 'denied' : 'completed' }
}

function mcpOutcome(item: Look): Omit<ToolOutcome, 'id'> | undefined {
  const plain = plainOutcome(item)
  const error = item.get('error')
  const output = error.present ? error.get('message').text() : item.get('result').value
  return plain && { ...plain, output, ...(error.present ? { status: 'failed' as const } : {}) }
}

/** The files of a change, as seen from the workspace. */
export function changesIn(
  item: Look,
  root: string | undefined,
): { readonly input: Json; readonly paths: readonly string[] } {
  const changes = item
    .get('changes')
    .list()
    .map((change) => ({ path: change.get('path').text() ?? '', kind: change.get('kind').text() ?? 'update' }))
  const paths = pathsFromRoot(
    root,
    changes.map(({ path }) => path),
    item.warnings,
  )
  return { input: { changes: changes.map(({ kind }, index) => ({ path: paths[index] ?? '', kind })) }, paths }
}
