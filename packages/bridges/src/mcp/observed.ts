import type { Invocation, Json } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { runFacts } from '../context/run-facts.js'
import type { ToolExecution } from '../context/tool-execution.js'

/** What a fixture saw during a trial. */
export interface Observed {
  /** The name of the server. */
  readonly name: string
  readonly tools: readonly string[]
  readonly executions: readonly ToolExecution[]
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
  const { bridge = 'mcp', toolExecutions: reported = recorded } = runFacts(metadata) ?? {}
  const facts = { bridge, [`${bridge}.toolExecutions`]: joined(reported, observed), 'mcp.state': observed.state }
  return Object.freeze({ ...invocation, metadata: Object.freeze({ ...metadata, ...facts }) })
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
