import type { Agent, AgentTask, Invocation, Json, JsonObject } from '@jurist/core'
import { checkRequired, failureOf, frozenJson } from '@jurist/core/internal'
import type { ToolExecution } from '../context/tool-execution.js'
import { thrownOutcome } from '../run/classify-error.js'
import { type Calls, callsOver } from './calls.js'
import { type Overheard, overhear, withObserved } from './observed.js'
import { type Protocol, protocolOf, type RpcReply, type RpcRequest, rpcCodes, toolResult } from './protocol.js'
import { type ListeningServer, listen, type McpServer } from './server.js'
import { checkTools, type Described, fixtureRules, inputSchemaOf, type McpFixtureOptions } from './tools.js'

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

/** The tools of one trial, over its own state. */
export interface McpSession<State = Json> {
  /** The tools with their JSON Schemas, as models get them. */
  readonly tools: readonly { readonly name: string; readonly description: string; readonly input: JsonObject }[]
  /** Calls a tool, without a server. A call that fails is a result, with the error as its output. Never rejects. */
  call(name: string, input?: JsonObject): Promise<ToolExecution>
  /** The state of now, deeply frozen. */
  state(): State
  /**
   * Starts the MCP server, once for a trial, and says how an agent connects to it. `runs`: where the agent's process runs:
   * where the workspace runs commands, which is its sandbox if it has one (default), or on this machine.
   *
   * @throws `agent-start` where no Node.js is installed, or where a sandbox shows no socket of this machine
   */
  server(options?: { readonly runs?: 'workspace' | 'host' }): Promise<McpServer>
}

/** Tools over a state, for agents that speak MCP and for functions. */
export interface McpFixture<State = Json> {
  /**
   * An agent that gets the tools: `make` is called for each trial. What the fixture saw is in the invocation: the calls, in the
   * place of what the agent reports about the same tools, and the final state, as `mcp.state` in the metadata.
   */
  agent(make: (session: McpSession<State>, task: AgentTask) => Agent | Promise<Agent>): Agent
}

/**
 * Tools that are functions over a JSON state. Any agent that speaks MCP can call them through a server on standard input and
 * output, and a plain function calls them directly. Each trial has its own state. The functions and the state stay in
 * this process: the agent gets a small program that passes on messages. `stateEquals` judges the final state, and judges of
 * tool calls see the calls that the fixture saw.
 *
 * @throws `option-invalid`, `metadata-invalid` for a state that is not JSON; agents report `mcp-tool-broken` when a function
 * of the fixture throws
 *
 * @example
 * import { mcpFixture } from '@jurist/bridges/mcp'
 * import { claudeCommand } from '@jurist/bridges/claude-agent'
 *
 * const shop = mcpFixture({
 *   name: 'shop',
 *   state: { cancelled: [] as readonly string[] },
 *   tools: {
 *     cancel_order: {
 *       description: 'Cancels an order by its number.',
 *       input: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
 *       run: ({ order }, { cancelled }) => ({ result: 'done', state: { cancelled: [...cancelled, String(order)] } }),
 *     },
 *   },
 * })
 *
 * const direct = shop.agent((tools) => async () => {
 *   await tools.call('cancel_order', { order: 'A-1' })
 *   return { status: 'completed' }
 * })
 *
 * const claude = shop.agent(async (tools) => claudeCommand({ arguments: (await tools.server()).claude }))
 */
export function mcpFixture<State>(options: McpFixtureOptions<State>): McpFixture<State> {
  const given = checkRequired('mcpFixture', options, fixtureRules, ['name', 'tools', 'state'])
  checkTools(given)
  const { state } = given
  if (typeof state !== 'function') frozenJson(state, ['state'])
  return Object.freeze({
    agent: (make: Parameters<McpFixture<State>['agent']>[0]): Agent =>
      async function mcpAgent(task) {
        const initial = typeof state === 'function' ? (state as (task: AgentTask) => State)(task) : state
        const overheard = overhear(task)
        const calls = callsOver(given, frozenJson(initial, ['state']) as State, overheard.moment)
        await using trial = trialOf(given, calls, overheard)
        const invocation = await invocationOf(async () => (await make(trial.session, task))(overheard.task), task)
        calls.end()
        return finished(invocation, given, calls, overheard)
      },
  })
}

/** The session of a trial, with everything that it opens. Disposing it ends them. */
function trialOf<State>(options: McpFixtureOptions<State>, calls: Calls<State>, { task, recordCall }: Overheard) {
  const { name, maxMessageBytes = 1_048_576 } = options
  const servers = new Map<string, Promise<ListeningServer>>()
  const protocol = () => protocolOver(options, calls)
  const close = async () => {
    calls.end()
    // A server that did not start was reported to the agent that asked for it.
    const started = await Promise.allSettled(servers.values())
    for (const one of started) if (one.status === 'fulfilled') await one.value[Symbol.asyncDispose]()
    servers.clear()
  }
  // An agent may continue after it had to stop.
  const stop = () => void close()
  task.signal.addEventListener('abort', stop, { once: true })

  const session: McpSession<State> = Object.freeze({
    tools: Object.entries(options.tools).map(([tool, one]) => {
      return Object.freeze({ name: tool, description: one.description, input: inputSchemaOf(one) })
    }),
    // Agents with a server report their calls themselves.
    call: (tool: string, input: JsonObject = {}) => calls.call(tool, input).then(recordCall),
    state: calls.state,
    async server({ runs = 'workspace' }: { readonly runs?: 'workspace' | 'host' } = {}) {
      task.signal.throwIfAborted()
      const started = servers.get(runs) ?? listen({ name, task, runs, maxMessageBytes, protocol })
      servers.set(runs, started)
      return (await started).server
    },
  })
  const end = async () => {
    task.signal.removeEventListener('abort', stop)
    await close()
  }
  return { session, [Symbol.asyncDispose]: end }
}

/** What the agent returned; an exception is an error whose calls and state count as those of any other. */
async function invocationOf(run: () => Promise<Invocation>, task: AgentTask): Promise<Invocation> {
  try {
    return await run()
  } catch (thrown) {
    const { invocation: status, failure } = thrownOutcome(thrown, task.signal)
    return { status, failure }
  }
}

function finished<State>(
  invocation: Invocation,
  { name, tools }: McpFixtureOptions<State>,
  calls: Calls<State>,
  { reported }: Overheard,
): Invocation {
  const observed = { name, tools: Object.keys(tools), executions: calls.executions(), state: calls.state() as Json }
  const whole = withObserved(invocation, observed, reported())
  const broken = calls.broken()
  // A mistake of the fixture decides nothing about the agent.
  return broken === undefined ? whole : Object.freeze({ ...whole, status: 'error', failure: failureOf(broken) })
}
