import type { Calls } from './calls.js'
import { type Protocol, protocolOf, type RpcReply, type RpcRequest, rpcCodes, toolResult } from './protocol.js'
import { type Described, inputSchemaOf } from './tools.js'

/** What agents and their MCP clients ask of a fixture. */
export function protocolOver(options: Described, calls: Pick<Calls<unknown>, 'call'>): Protocol {
  const { name, tools } = options

  async function callTool({ params, signal }: RpcRequest): Promise<RpcReply> {
    const { name: tool, arguments: input } = params
    const invalid = (message: string): RpcReply => ({ error: { code: rpcCodes.params, message } })
    if (typeof tool !== 'string') return invalid('tools/call needs the name of a tool')
    const { status, output = '' } = await calls.call(tool, input, () => signal.aborted)
    if (!Object.hasOwn(tools, tool)) return invalid(String(output))
    return { result: toolResult(output, status !== 'completed') }
  }

  const list = Object.entries(tools).map(([tool, one]) => ({
    name: tool,
    description: one.description,
    inputSchema: inputSchemaOf(one),
  }))
  return protocolOf({
    name,
    capabilities: { tools: {} },
    methods: { 'tools/list': () => ({ result: { tools: list } }), 'tools/call': callTool },
  })
}
