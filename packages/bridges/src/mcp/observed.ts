import type { AgentTask, Invocation, JournalEvent, Json, Turn } from '@jurist/core'
import { isPlainObject, stepsOfExecutions } from '@jurist/core/internal'
import { bridgeFacts } from '../context/run-facts.js'
import { joinTools, type ToolCall, type ToolExecution, type ToolOutcome } from '../context/tool-execution.js'
import { toolResultOf } from '../run/invocation.js'
import type { Moment, SeenCall } from './calls.js'

/** What an agent records in its journal, as far as it concerns tools. */
export interface Overheard {
  /** The task of the agent, whose `record` is listened to. */
  readonly task: AgentTask
  /** The number of the last model call that was recorded, from 0, and the phase of the last event. */
  moment(): Moment
  /** The tool calls that the agent recorded. */
  reported(): readonly ToolExecution[]
  /** Records a call for an agent that called it directly. Returns the call. */
  recordCall(call: SeenCall): SeenCall
}

/** How many calls are kept; the journal has all. */
const maxCalls = 10_000

/** Listens to what an agent records. */
export function overhear(task: AgentTask): Overheard {
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
    // Some properties of a task are made when they are read.
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

/** What a fixture saw during a trial. */
interface Observed {
  /** The name of the server. */
  readonly name: string
  readonly tools: readonly string[]
  readonly executions: readonly SeenCall[]
  readonly state: Json
}

/**
 * The invocation with the state, and with the tool calls that the fixture saw. They replace what the agent reports about the
 * same tools; of its report remain other tools, and calls that never arrived because they were refused or failed before.
 *
 * @param recorded what the agent recorded of tools, which counts as its report if no bridge made one
 */
export function withObserved(
  invocation: Invocation,
  observed: Observed,
  recorded: readonly ToolExecution[],
): Invocation {
  const { metadata = {} } = invocation
  const { bridge = 'mcp', toolExecutions: reported = recorded } = bridgeFacts(metadata) ?? {}
  const facts = { bridge, [`${bridge}.toolExecutions`]: joined(reported, observed), 'mcp.state': observed.state }
  const turns = invocation.turns === undefined ? {} : { turns: turnsWith(invocation.turns, observed) }
  return Object.freeze({ ...invocation, ...turns, metadata: Object.freeze({ ...metadata, ...facts }) })
}

/** The turns of a conversation with the calls of each: the n-th answer follows the n-th message, in the phase `turn n`. */
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

/** The reported and the observed executions in one order: that of the observation, at the places of the report. */
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

/** How agents call the tools of a server: Claude Code, Codex, others, and by the bare name. */
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

/** Some agents report the kind of a tool and not its name. Its input has to do. */
function isNameless({ name, kind }: ToolExecution): boolean {
  return name === kind
}

function isSame(one: ToolExecution, other: ToolExecution): boolean {
  return other.status !== 'denied' && inOrder(one.input) === inOrder(other.input)
}

/** JSON with sorted keys. */
function inOrder(value: Json): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isPlainObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  )
}
