const lines = (...values: readonly object[]) => `${values.map((value) => JSON.stringify(value)).join('\n')}\n`
const common = { sessionId: 's-1', version: '2.1.197', isSidechain: false, timestamp: '2026-11-20T10:00:05Z' }
const user = (content: unknown) => ({ ...common, type: 'user', message: { role: 'user', content } })
const answer = (id: string, block: object) => ({
  ...{ ...common, type: 'assistant' },
  message: { id, model: 'claude-x', role: 'assistant', content: [block], usage: { input_tokens: 5, output_tokens: 2 } },
})

/** A session of Claude Code that runs a command, edits a file, and says something at its end. */
export function claudeSession(command: string, last: string, after?: string): string {
  const call = (id: string, name: string, input: object) => [
    answer(`m-${id}`, { type: 'tool_use', id, name, input }),
    user([{ type: 'tool_result', tool_use_id: id, content: 'ok' }]),
  ]
  return lines(
    user('Repair the sum.'),
    ...call('1', 'Bash', { command }),
    ...call('2', 'Edit', { file_path: 'sum.js', old_string: '-', new_string: '+' }),
    ...(after === undefined ? [] : call('3', 'Bash', { command: after })),
    answer('m-9', { type: 'text', text: last }),
  )
}

/** A rollout of Codex that runs a command. */
export function codexSession(command: string): string {
  const at = { timestamp: '2026-11-20T10:00:00Z' }
  const item = (payload: object) => ({ ...at, type: 'response_item', payload })
  return lines(
    { ...at, type: 'session_meta', payload: { id: 'c-1', cli_version: '0.98.0' } },
    item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Run the tests.' }] }),
    item({ type: 'function_call', name: 'exec_command', call_id: '1', arguments: JSON.stringify({ cmd: command }) }),
    item({ type: 'function_call_output', call_id: '1', output: 'ok' }),
    item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }),
  )
}
