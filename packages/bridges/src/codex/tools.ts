import type { Json } from '@jurist/core'
import { pathsFromRoot } from '../coding/inside.js'
import type { Look } from '../context/look.js'
import type { ToolCall, ToolOutcome } from '../context/tool-execution.js'

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
