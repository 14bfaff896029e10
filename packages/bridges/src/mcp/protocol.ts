import type { Json } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { ToolExecution } from '../context/tool-execution.js'
import type { Calls } from './calls.js'
import { type Described, inputSchemaOf } from './tools.js'

/** The versions of the protocol that are spoken, the newest first. */
const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

/** Errors of JSON-RPC. */
const codes = { parse: -32_700, request: -32_600, method: -32_601, params: -32_602 }

/** One message to the agent. */
type Message = { readonly [key: string]: unknown }

/** One connection of an agent. */
export interface Protocol {
  /** The answer to a line; `undefined` for what is not answered. `null`: the line was too long. Never rejects. */
  receive(line: string | null): Promise<Message | undefined>
}

/** What agents and their MCP clients ask of a server. Everything else is answered with an error, and never ends it. */
export function protocolOver(options: Described, calls: Pick<Calls<unknown>, 'call'>): Protocol {
  const cancelled = new Set<unknown>()
  const pending = new Set<unknown>()

  async function callTool(id: unknown, params: Message): Promise<Message | undefined> {
    const { name, arguments: input } = params
    if (typeof name !== 'string') return wrong(id, codes.params, 'tools/call needs the name of a tool')
    pending.add(id)
    const execution = await calls.call(name, input, () => cancelled.has(id))
    pending.delete(id)
    if (cancelled.delete(id)) return undefined
    return Object.hasOwn(options.tools, name)
      ? right(id, toolResult(execution))
      : wrong(id, codes.params, String(execution.output))
  }

  function answer(id: unknown, method: unknown, params: Message): Promise<Message | undefined> | Message {
    switch (method) {
      case 'initialize':
        return right(id, greeting(options.name, params['protocolVersion']))
      case 'ping':
        return right(id, {})
      case 'tools/list':
        return right(id, { tools: toolList(options) })
      case 'tools/call':
        return callTool(id, params)
      default:
        return wrong(id, codes.method, 'this method is not offered')
    }
  }

  return {
    async receive(line) {
      if (line === null) return wrong(null, codes.request, 'the message is too long')
      const message = parsed(line)
      if (message === undefined) return wrong(null, codes.parse, 'the message is not JSON')
      if (!isPlainObject(message) || message['jsonrpc'] !== '2.0')
        return wrong(null, codes.request, 'the message is not a JSON-RPC 2.0 object')
      const { id, method } = message
      const params = isPlainObject(message['params']) ? message['params'] : {}
      if (id === undefined) {
        const of = params['requestId']
        if (method === 'notifications/cancelled' && pending.has(of)) cancelled.add(of)
        return undefined
      }
      // A response: nothing was asked of the agent.
      if (method === undefined) return undefined
      if (typeof id !== 'string' && typeof id !== 'number') return wrong(null, codes.request, 'the id is not one')
      return answer(id, method, params)
    },
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const right = (id: unknown, result: object): Message => ({ jsonrpc: '2.0', id, result })
const wrong = (id: unknown, code: number, message: string): Message => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})

function greeting(name: string, asked: unknown): object {
  const protocolVersion = versions.find((version) => version === asked) ?? versions[0]
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version: '1.0.0' } }
}

function toolList({ tools }: Described): readonly object[] {
  return Object.entries(tools).map(([name, tool]) => ({
    name,
    description: tool.description,
    inputSchema: inputSchemaOf(tool),
  }))
}

/** Errors of a tool are results that a model can read, so that it can correct its call. */
function toolResult({ status, output = '' }: ToolExecution): object {
  const content = [{ type: 'text', text: textOf(output) }]
  if (status !== 'completed') return { content, isError: true }
  return isPlainObject(output) ? { content, structuredContent: output } : { content }
}

function textOf(output: Json): string {
  return typeof output === 'string' ? output : JSON.stringify(output)
}
