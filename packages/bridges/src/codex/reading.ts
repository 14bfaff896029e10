import type { Failure, JournalEvent, Json, Usage } from '@jurist/core'
import { endFailure } from '../coding/failures.js'
import { pathsFromRoot } from '../coding/relative-path.js'
import { type RunOutcome, textOutcome } from '../context/outcome.js'
import { isReadableArray, readSafely, type SafeReader } from '../context/safe-reader.js'
import { toJson } from '../context/to-json.js'
import { joinTools, type ToolCall, type ToolExecution, type ToolOutcome } from '../context/tool-execution.js'
import { reportedUsage, usageFrom } from '../context/usage.js'
import { isInfrastructureStatus } from '../run/classify-error.js'
import { toolResultOf } from '../run/invocation.js'
import type { WriteJournal } from '../run/journal.js'

/**
 * Malformed parts are left out and add warnings. Codex reports no finish reason, no cost and no model.
 *
 * @param root the directory of the workspace, for paths
 */
export function readCodex(value: unknown, root?: string): RunOutcome {
  const warnings: string[] = []
  const whole = readSafely(value, warnings)
  const areEvents = isReadableArray(value)
  const events = areEvents ? whole.array().filter((event) => typeof event.value === 'object') : []
  const named = (type: string) => events.filter((event) => event.get('type').value === type)
  const items = areEvents ? lastStates(events) : whole.get('items').array()
  const completed = named('turn.completed')
  const usages = areEvents ? completed.map((event) => event.get('usage')) : [whole.get('usage')]
  const usage = usages.findLast((reader) => reader.present) ?? readSafely(undefined, warnings)
  const toolExecutions = whole.present ? executionsOf(items, root) : undefined
  const denied = toolExecutions?.filter(({ status }) => status === 'denied')
  for (const event of named('error')) warnings.push(`error: ${event.get('message').string() ?? 'unknown'}`)
  for (const item of items)
    if (item.get('type').value === 'error') warnings.push(`error: ${item.get('message').string() ?? 'unknown'}`)
  return {
    ...endingOf(named('turn.failed').at(-1), areEvents ? completed.length > 0 : usage.present),
    output: textOutcome(areEvents ? lastMessage(items) : (whole.get('finalResponse').string() ?? lastMessage(items))),
    facts: {
      sessionId: named('thread.started').at(-1)?.get('thread_id').string(),
      turns: completed.length > 0 ? completed.length : undefined,
      usage: usageOf(usage),
      usageReported: reportedUsage([usage]),
      toolExecutions,
      permissionDenials: denied?.map(({ name, id }) => ({ tool: name, id })),
      warnings,
    },
  }
}

/** In the order of their first events. */
function lastStates(events: readonly SafeReader[]): readonly SafeReader[] {
  const states = new Map<unknown, SafeReader>()
  for (const event of events) {
    if (!(event.get('type').string() ?? '').startsWith('item.')) continue
    const item = event.get('item')
    states.set(item.get('id').value ?? item, item)
  }
  return [...states.values()]
}

function lastMessage(items: readonly SafeReader[]): string | undefined {
  return items
    .findLast((item) => item.get('type').value === 'agent_message')
    ?.get('text')
    .string()
}

function executionsOf(items: readonly SafeReader[], root: string | undefined): readonly ToolExecution[] {
  const tools = items.flatMap((item, step) => toolIn(item, step, root) ?? [])
  return joinTools(
    tools.map(({ call }) => call),
    tools.flatMap(({ outcome }) => outcome ?? []),
  )
}

function endingOf(failed: SafeReader | undefined, isComplete: boolean): Pick<RunOutcome, 'status' | 'failure'> {
  if (failed !== undefined) return { status: 'failed', failure: turnFailure(failed) }
  return { status: isComplete ? 'success' : 'unknown' }
}

/** How Codex writes the HTTP status in messages; there is no field for it. */
const statusForm = /\bstatus(?: code)?:? (\d{3})\b/

/** How Codex describes a service that is unreachable, overloaded or over its quota; there is no field for it. */
const troubleForm =
  /stream disconnected|connection (failed|closed|reset|refused)|error sending request|timed out|usage limit|quota|high demand|at capacity|overloaded/i

/** Only failures of the service are temporary; others, such as a full context, would occur again. */
function turnFailure(failed: SafeReader): Failure {
  const message = failed.get('error').get('message').string() ?? 'no reason was given'
  const [, status] = statusForm.exec(message) ?? []
  if (status === undefined) return endFailure('turn-failed', message, troubleForm.test(message))
  return endFailure(`http-${status}`, message, isInfrastructureStatus(Number(status)))
}

/** Codex includes cached tokens in the input tokens. */
function usageOf(usage: SafeReader): Usage | undefined {
  return usageFrom(usage, {
    inputTokens: 'input_tokens',
    cacheReadTokens: 'cached_input_tokens',
    cacheWriteTokens: 'cache_write_input_tokens',
    outputTokens: 'output_tokens',
    reasoningTokens: 'reasoning_output_tokens',
  })
}

interface ItemTool {
  readonly call: ToolCall
  /** Absent while the tool runs. */
  readonly outcome: ToolOutcome | undefined
}

/** `undefined` for items that are not tool calls. */
function toolIn(item: SafeReader, step: number, root: string | undefined): ItemTool | undefined {
  const id = item.get('id').string()
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
      return tool('shell', { command: item.get('command').string() ?? '' }, shellOutcome(item))
    case 'file_change': {
      const { input, paths } = changesIn(item, root)
      return tool('apply_patch', input, plainOutcome(item), paths)
    }
    case 'mcp_tool_call': {
      const name = `${item.get('server').string() ?? 'unknown'}.${item.get('tool').string() ?? 'unknown'}`
      return tool(name, item.get('arguments').value, mcpOutcome(item))
    }
    case 'web_search':
      return tool('web_search', { query: item.get('query').string() ?? '' }, { status: 'completed' })
    default:
      return undefined
  }
}

function shellOutcome(item: SafeReader): Omit<ToolOutcome, 'id'> | undefined {
  const code = item.get('exit_code').number()
  if (code === undefined && item.get('status').value !== 'declined') return undefined
  const output = item.get('aggregated_output').string() ?? ''
  return { output, status: code === 0 ? 'completed' : code === undefined ? 'denied' : 'failed' }
}

function plainOutcome(item: SafeReader): Omit<ToolOutcome, 'id'> | undefined {
  const status = item.get('status').value
  if (status === 'in_progress') return undefined
  return { status: status === 'failed' ? 'failed' : status === 'declined' ? 'denied' : 'completed' }
}

function mcpOutcome(item: SafeReader): Omit<ToolOutcome, 'id'> | undefined {
  const plain = plainOutcome(item)
  const error = item.get('error')
  const output = error.present ? error.get('message').string() : item.get('result').value
  return plain && { ...plain, output, ...(error.present ? { status: 'failed' as const } : {}) }
}

/** Relative to the workspace. */
function changesIn(
  item: SafeReader,
  root: string | undefined,
): { readonly input: Json; readonly paths: readonly string[] } {
  const changes = item
    .get('changes')
    .array()
    .map((change) => ({ path: change.get('path').string() ?? '', kind: change.get('kind').string() ?? 'update' }))
  const paths = pathsFromRoot(
    root,
    changes.map(({ path }) => path),
    item.warnings,
  )
  return { input: { changes: changes.map(({ kind }, index) => ({ path: paths[index] ?? '', kind })) }, paths }
}

type RecordCodex = (event: unknown) => void

/** Malformed events add no warnings here; `readCodex` adds them. */
export function codexJournal(write: WriteJournal, root: string | undefined, model: string | undefined): RecordCodex {
  const called = new Set<unknown>()
  return (value) => {
    const event = readSafely(value, [])
    const item = event.get('item')
    switch (event.get('type').value) {
      case 'thread.started':
        write({ type: 'state', state: 'session' })
        break
      case 'turn.completed':
        write(modelCall(event.get('usage'), model))
        break
      case 'item.started':
      case 'item.updated':
        writeCall(item, write, called, root)
        break
      case 'item.completed':
        writeCall(item, write, called, root)
        writeEnd(item, write, root)
        break
      case 'turn.started':
        break
      default:
        write({ type: 'custom', name: `codex.${event.get('type').string() ?? 'event'}`, data: toJson(value) })
    }
  }
}

function modelCall(usage: SafeReader, model = 'unknown'): JournalEvent {
  const counted = usageOf(usage)
  return { type: 'model-call', model, usage: counted }
}

function writeCall(item: SafeReader, write: WriteJournal, called: Set<unknown>, root: string | undefined): void {
  const tool = toolIn(item, 0, root)
  if (tool === undefined || called.has(tool.call.id)) return
  called.add(tool.call.id)
  const [execution] = joinTools([tool.call], [])
  if (execution !== undefined)
    write({ type: 'tool-call', id: execution.id, name: execution.name, input: execution.input })
}

function writeEnd(item: SafeReader, write: WriteJournal, root: string | undefined): void {
  const type = item.get('type').string()
  switch (type) {
    case 'agent_message':
      write({ type: 'text', text: item.get('text').string() ?? '' })
      break
    case 'reasoning':
      write({ type: 'thinking', text: item.get('text').string() ?? '' })
      break
    case 'todo_list':
    case 'error':
      write({ type: 'custom', name: `codex.${type}`, data: toJson(item.value) })
      break
    default:
      writeResult(item, write, root)
  }
}

const changes: { readonly [kind: string]: 'added' | 'modified' | 'removed' } = {
  add: 'added',
  update: 'modified',
  delete: 'removed',
}

function writeResult(item: SafeReader, write: WriteJournal, root: string | undefined): void {
  const tool = toolIn(item, 0, root)
  if (tool?.outcome === undefined) return
  const [execution] = joinTools([tool.call], [tool.outcome])
  const result = execution && toolResultOf(execution)
  if (result !== undefined)
    write({ type: 'tool-result', id: result.toolUseId, failed: result.failed, content: result.content })
  if (item.get('type').value !== 'file_change' || execution?.status !== 'completed') return
  const { paths } = changesIn(item, root)
  for (const [index, change] of item.get('changes').array().entries())
    write({ type: 'file', path: paths[index] ?? '', change: changes[change.get('kind').string() ?? ''] ?? 'modified' })
}
