import type { Agent, AgentTask, Invocation, JournalEvent, Json, JsonObject, Turn } from '@jurist/core'
import { checkRequired, failureOf, frozenJson, isPlainObject, stepsOfExecutions } from '@jurist/core/internal'
import { bridgeFacts } from '../context/run-facts.js'
import { joinTools, type ToolCall, type ToolExecution, type ToolOutcome } from '../context/tool-execution.js'
import { thrownOutcome } from '../run/classify-error.js'
import { toolResultOf } from '../run/invocation.js'
import { type Calls, callsOver, type Moment, type SeenCall } from './calls.js'
import { type Protocol, protocolOf, type RpcReply, type RpcRequest, rpcCodes, toolResult } from './protocol.js'
import { type ListeningServer, listen, type McpServer } from './server.js'
import { checkTools, type Described, fixtureRules, inputSchemaOf, type McpFixtureOptions } from './tools.js'

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
  /** The tools with their JSON Schemas, as models see them. */
  readonly tools: readonly { readonly name: string; readonly description: string; readonly input: JsonObject }[]
  /** Calls a tool, without a server. A call that fails is a result, with the error as its output. Never rejects. */
  call(name: string, input?: JsonObject): Promise<ToolExecution>
  /** Returns the current state, deeply frozen. */
  state(): State
  /**
   * Starts the MCP server, once for a trial, and returns the settings with which an agent connects to it. `runs`: where
   * the agent's process runs: where the workspace runs commands, which is its sandbox if it has one (default), or on
   * this machine.
   *
   * @throws `agent-start` where no Node.js is installed, or where a sandbox shows no socket of this machine
   */
  server(options?: { readonly runs?: 'workspace' | 'host' }): Promise<McpServer>
}

/** Tools over a state, for agents that speak MCP and for functions. */
export interface McpFixture<State = Json> {
  /**
   * Creates an agent that gets the tools: `make` is called for each trial. The invocation contains the observations of
   * the fixture: the calls, which replace the agent's report about the same tools, and the final state, as `mcp.state`
   * in the metadata.
   */
  agent(make: (session: McpSession<State>, task: AgentTask) => Agent | Promise<Agent>): Agent
}

/**
 * Creates tools from functions over a JSON state. Any agent that speaks MCP can call them through a server on standard
 * input and output, and a plain function calls them directly. Each trial has its own state. The functions and the state
 * stay in this process: the agent gets a small program that passes on messages. `stateEquals` judges the final state,
 * and judges of tool calls see the calls that the fixture observed.
 *
 * @throws `option-invalid`, `metadata-invalid` for a state that is not JSON; agents report `mcp-tool-broken` when a
 * function of the fixture throws
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

/** Disposing the session ends everything that it opened. */
function trialOf<State>(options: McpFixtureOptions<State>, calls: Calls<State>, { task, recordCall }: Overheard) {
  const { name, maxMessageBytes = 1_048_576 } = options
  const servers = new Map<string, Promise<ListeningServer>>()
  const protocol = () => protocolOver(options, calls)
  const close = async () => {
    calls.end()
    // A failed start was reported to the agent that requested the server.
    const started = await Promise.allSettled(servers.values())
    for (const one of started) if (one.status === 'fulfilled') await one.value[Symbol.asyncDispose]()
    servers.clear()
  }
  // An agent may continue after its signal has fired.
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

/** An exception is an error whose calls and state count as those of any other. */
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
  // A bug of the fixture decides nothing about the agent.
  return broken === undefined ? whole : Object.freeze({ ...whole, status: 'error', failure: failureOf(broken) })
}

/** The tool events of an agent's journal. */
interface Overheard {
  /** The agent's task, with a `record` that also collects the events. */
  readonly task: AgentTask
  /** The number of the last recorded model call, from 0, and the phase of the last event. */
  moment(): Moment
  reported(): readonly ToolExecution[]
  /** For an agent that called a tool directly. Returns the call. */
  recordCall(call: SeenCall): SeenCall
}

/** The limit of the calls kept in memory; the journal contains all. */
const maxCalls = 10_000

function overhear(task: AgentTask): Overheard {
  const calls: ToolCall[] = []
  const outcomes: ToolOutcome[] = []
  let modelCalls = 0
  let phase: string | undefined
  const step = () => Math.max(0, modelCalls - 1)

  const record = (event: JournalEvent) => {
    phase = event.phase ?? phase
    if (event.type === 'model-call') modelCalls += 1
    else if (event.type === 'tool-call' && calls.length < maxCalls) calls.push({ ...event, step: step() })
    else if (event.type === 'tool-result' && outcomes.length < maxCalls) outcomes.push(outcomeOf(event))
    task.record?.(event)
  }

  return {
    // Some properties of a task are getters, which must not be read early.
    task: Object.freeze(
      Object.defineProperties(
        {},
        { ...Object.getOwnPropertyDescriptors(task), record: { value: record, enumerable: true } },
      ),
    ) as AgentTask,
    moment: () => ({ step: step(), phase }),
    reported: () => joinTools(calls, outcomes),
    recordCall(call) {
      const { id, name, input, elapsedMs, phase: during } = call
      const at = during === undefined ? {} : { phase: during }
      const took = elapsedMs === undefined ? {} : { elapsedMs }
      const { content, failed } = toolResultOf(call) ?? { content: '', failed: true }
      task.record?.({ type: 'tool-call', id, name, input, ...at })
      task.record?.({ type: 'tool-result', id, failed, content, ...took, ...at })
      return call
    },
  }
}

function outcomeOf({ id, failed, content }: Extract<JournalEvent, { readonly type: 'tool-result' }>): ToolOutcome {
  return { id, output: content, status: failed ? 'failed' : 'completed' }
}

/** The observations of a fixture during a trial. */
interface Observed {
  /** The name of the server. */
  readonly name: string
  readonly tools: readonly string[]
  readonly executions: readonly SeenCall[]
  readonly state: Json
}

/**
 * The observed calls replace the agent's report about the same tools. Other tools of its report remain, and calls that
 * never arrived because they were refused or failed before.
 *
 * @param recorded the agent's recorded tool calls, which count as its report if no bridge made one
 */
function withObserved(invocation: Invocation, observed: Observed, recorded: readonly ToolExecution[]): Invocation {
  const { metadata = {} } = invocation
  const { bridge = 'mcp', toolExecutions: reported = recorded } = bridgeFacts(metadata) ?? {}
  const facts = { bridge, [`${bridge}.toolExecutions`]: joined(reported, observed), 'mcp.state': observed.state }
  const turns = invocation.turns === undefined ? {} : { turns: turnsWith(invocation.turns, observed) }
  return Object.freeze({ ...invocation, ...turns, metadata: Object.freeze({ ...metadata, ...facts }) })
}

/** The n-th answer follows the n-th message, in the phase `turn n`. */
function turnsWith(turns: readonly Turn[], observed: Observed): readonly Turn[] {
  let answers = 0
  return turns.map((turn) => {
    if (turn.role === 'user' || turn.isHistory === true) return turn
    answers += 1
    const executions = observed.executions.filter(({ phase }) => phase === `turn ${answers}`)
    const reported = (turn.steps ?? []).map(({ turn: step, ...rest }, index) => ({ ...rest, id: String(index), step }))
    const steps = stepsOfExecutions(joined(reported, { ...observed, executions })) ?? []
    return steps.length === 0 ? turn : Object.freeze({ ...turn, steps })
  })
}

/** In the order of the observation, at the places of the report. */
function joined(reported: readonly ToolExecution[], observed: Observed): readonly ToolExecution[] {
  const { executions } = observed
  const plainName = plainNames(observed)
  const kept: ToolExecution[] = []
  const taken = new Set<number>()
  let written = 0
  const writeTo = (end: number, step?: number) => {
    for (const execution of executions.slice(written, end))
      kept.push(Object.freeze({ ...execution, step: step ?? execution.step }))
    written = Math.max(written, end)
  }
  for (const report of reported) {
    const name = plainName.get(report.name)
    const isOurs = (one: ToolExecution) => one.name === name || (name === undefined && isNameless(report))
    const same = executions.findIndex((one, index) => !taken.has(index) && isOurs(one) && isSame(one, report))
    if (same >= 0) {
      taken.add(same)
      writeTo(same + 1, report.step)
    } else if (name === undefined) kept.push(report)
    else if (report.status !== 'completed') kept.push(Object.freeze({ ...report, name }))
  }
  writeTo(executions.length)
  return Object.freeze(kept)
}

/** Claude Code, Codex and others name the tools of a server in different ways; some use the bare name. */
function plainNames({ name, tools }: Observed): ReadonlyMap<string, string> {
  const forms = (tool: string) => [
    `mcp__${name}__${tool}`,
    `${name}.${tool}`,
    `${name}/${tool}`,
    `${name}_${tool}`,
    tool,
  ]
  return new Map(tools.flatMap((tool) => forms(tool).map((form) => [form, tool] as const)))
}

/** Some agents report only the kind of a tool. Such a call is identified by its input. */
function isNameless({ name, kind }: ToolExecution): boolean {
  return name === kind
}

function isSame(one: ToolExecution, other: ToolExecution): boolean {
  return other.status !== 'denied' && inOrder(one.input) === inOrder(other.input)
}

/** Sorts the keys. */
function inOrder(value: Json): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isPlainObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  )
}
