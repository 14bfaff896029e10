import type { Json, JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { ScriptedRequest, ScriptedTool, ScriptedTurn } from './scripted-turn.js'

/** A step of a script. Each agent has its own tools for it. */
export type AgentStep =
  | { readonly run: string; readonly text?: string }
  | { readonly read: string }
  | { readonly edit: string; readonly from: string; readonly to: string }
  | { readonly write: string; readonly content: string }
  | { readonly say: string }

/**
 * Performs one step after the other and then repeats the last one. The step follows from the number of tool calls in
 * the same conversation, so that simultaneous conversations do not mix. A request without tools, such as one for a
 * title, gets a short text.
 *
 * @param root the absolute directory of the workspace, for file tools
 */
export function agentScript(
  root: string | ((request: ScriptedRequest) => string),
  steps: readonly AgentStep[],
): (request: ScriptedRequest) => ScriptedTurn {
  return (request) => {
    if (!isForWork(request)) return { text: 'A title' }
    const step = steps[Math.min(callsIn(request.body), steps.length - 1)]
    return step === undefined
      ? { text: 'Done.' }
      : turnOf(step, request, typeof root === 'string' ? root : root(request))
  }
}

/** Agents also send requests that do not belong to the work, such as one for a title. */
export function isForWork({ tools }: ScriptedRequest): boolean {
  return tools.some((name) => /^(write|edit|apply_patch|read|bash|exec|exec_command|shell|shell_command)$/i.test(name))
}

function turnOf(step: AgentStep, request: ScriptedRequest, root: string): ScriptedTurn {
  if ('say' in step) return { text: step.say }
  const tool = toolOf(step, request, root)
  return 'run' in step && step.text !== undefined ? { text: step.text, tools: [tool] } : { tools: [tool] }
}

function toolOf(step: Exclude<AgentStep, { say: string }>, request: ScriptedRequest, root: string): ScriptedTool {
  if ('run' in step) return shellTool(request, step.run)
  if ('read' in step) {
    const path = within(root, step.read)
    return (
      offered(request, { Read: { file_path: path }, read: { filePath: path } }) ??
      shellTool(request, `cat ${quoted(path)}`)
    )
  }
  return 'edit' in step ? editTool(request, step, root) : writeTool(request, step, root)
}

function editTool(request: ScriptedRequest, step: Extract<AgentStep, { edit: string }>, root: string): ScriptedTool {
  const path = within(root, step.edit)
  const { from, to } = step
  const known = offered(request, {
    Edit: { file_path: path, old_string: from, new_string: to },
    edit: { filePath: path, oldString: from, newString: to },
  })
  return (
    known ?? shellTool(request, patch(`*** Update File: ${step.edit}\n@@\n${marked('-', from)}\n${marked('+', to)}`))
  )
}

function writeTool(request: ScriptedRequest, step: Extract<AgentStep, { write: string }>, root: string): ScriptedTool {
  const path = within(root, step.write)
  const known = offered(request, {
    Write: { file_path: path, content: step.content },
    write: { filePath: path, content: step.content },
  })
  if (known !== undefined || !hasShell(request)) return known ?? { name: 'Write', input: { file_path: path } }
  return shellTool(request, patch(`*** Add File: ${step.write}\n${marked('+', step.content)}`))
}

function marked(mark: '+' | '-', text: string): string {
  return text
    .split('\n')
    .map((line) => `${mark}${line}`)
    .join('\n')
}

/** Agents with only a shell apply a patch through it. */
function patch(change: string): string {
  return `apply_patch <<'EOF'\n*** Begin Patch\n${change}\n*** End Patch\nEOF`
}

function shellTool(request: ScriptedRequest, command: string): ScriptedTool {
  const description = 'a step of the test'
  const known = offered(request, {
    Bash: { command, description },
    bash: { command, description },
    exec_command: { cmd: command },
    shell_command: { command },
    shell: { command: ['sh', '-c', command] },
  })
  if (known !== undefined) return known
  if (!request.tools.includes('exec')) return { name: 'Bash', input: { command, description } }
  return { name: 'exec', custom: true, input: `await tools.exec_command(${JSON.stringify({ cmd: command })})` }
}

const shells = ['Bash', 'bash', 'exec_command', 'shell_command', 'shell', 'exec']

function hasShell({ tools }: ScriptedRequest): boolean {
  return shells.some((name) => tools.includes(name))
}

/** The first of the tools that the agent offers. */
function offered({ tools }: ScriptedRequest, inputs: { readonly [name: string]: Json }): ScriptedTool | undefined {
  const [name, input] = Object.entries(inputs).find(([known]) => tools.includes(known)) ?? []
  return name === undefined || input === undefined ? undefined : { name, input }
}

function within(root: string, path: string): string {
  return path.startsWith('/') ? path : `${root}/${path}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Counts the tool calls of a conversation, in each protocol. */
function callsIn(body: JsonObject): number {
  const { input, messages } = body
  if (Array.isArray(input)) return input.filter((item) => /_call$/.test(String(partOf(item, 'type')))).length
  if (!Array.isArray(messages)) return 0
  return messages.flatMap((message): readonly unknown[] => {
    const content = partOf(message, 'content')
    const uses = Array.isArray(content) ? content.filter((part) => partOf(part, 'type') === 'tool_use') : []
    const calls = partOf(message, 'tool_calls')
    return [...uses, ...(Array.isArray(calls) ? calls : [])]
  }).length
}

function partOf(value: unknown, key: string): unknown {
  return isPlainObject(value) ? value[key] : undefined
}
