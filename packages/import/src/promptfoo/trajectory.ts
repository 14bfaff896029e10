import type { Json } from '@jurist/core'
import { isPlainObject, option, printed } from '@jurist/core/internal'

type Fields = { readonly [name: string]: Json }
type Problem = { readonly problem: string }
type Moved = { readonly judge: { readonly [key: string]: unknown } } | Problem

/** promptfoo counts calls of these tools as commands if they name a command. */
const shells = ['exec_command', 'local_shell', 'shell']
const commandTools: ReadonlySet<string> = new Set([...shells, 'execute'])

/** The maximum number of calls that `toolCalls` counts. */
const mostCalls = 1_000

/** A matcher of promptfoo for the calls of a tool; `*` stands for any tool. */
type Tool = { readonly name: string } | Problem

function toolOf(given: Json | undefined, others: readonly string[] = []): Tool {
  const matcher: Fields | undefined = typeof given === 'string' ? { name: given } : isFields(given) ? given : undefined
  if (matcher === undefined) return { problem: `needs the name of a tool (got ${printed(given)})` }
  const other = Object.keys(matcher).find((key) => !['name', 'pattern', 'type', ...others].includes(key))
  if (other !== undefined) return { problem: `with "${other}" has no counterpart` }
  if (![matcher['type'] ?? 'tool'].flat().includes('tool'))
    return {
      problem: `with steps of the type ${printed(matcher['type'])} has no counterpart: only calls of tools have one`,
    }
  const name = matcher['pattern'] || matcher['name']
  if (typeof name !== 'string' || name.trim() === '')
    return { problem: `needs the name of a tool (got ${printed(name)})` }
  if (name !== '*' && /[*?]/.test(name))
    return { problem: `with the pattern ${printed(name)} has no counterpart: write the names of the tools` }
  if (commandTools.has(name.toLowerCase()))
    return { problem: `with the tool ${printed(name)} has no counterpart: promptfoo counts its calls as commands` }
  return { name }
}

function toolsOf(given: readonly Json[]): { readonly names: readonly string[] } | Problem {
  const names: string[] = []
  for (const one of given) {
    const tool = toolOf(one)
    if ('problem' in tool) return tool
    names.push(tool.name)
  }
  return names.length > 0 && names.length <= mostCalls
    ? { names }
    : { problem: `needs 1 to ${mostCalls} tools (got ${names.length})` }
}

function isFields(value: Json | undefined): value is Fields {
  return isPlainObject(value)
}

/** In promptfoo, an assertion without a trace is an error, never a pass. */
function judged(judge: { readonly type: string; readonly [option: string]: unknown }): Moved {
  return { judge: { ...judge, mustDecide: 'error' } }
}

function negated(moved: Moved): Moved {
  return 'problem' in moved ? moved : { judge: { type: 'not', judge: moved.judge } }
}

const noTool = judged({ type: 'tool-calls', expected: [], extra: shells })

/** Every tool must be used; with `not-`, none of them may be. */
function toolsUsed(given: readonly Json[], isNegated: boolean): Moved {
  const other = given.find((one) => typeof one !== 'string')
  const tools = other === undefined ? toolsOf(given) : { problem: `needs names of tools (got ${printed(other)})` }
  if ('problem' in tools) return tools
  const named = tools.names.filter((name) => name !== '*')
  // `*` stands for any tool. The other required tools imply it, and it implies the other forbidden ones.
  if (named.length < tools.names.length && (isNegated || named.length === 0))
    return isNegated ? noTool : negated(noTool)
  return judged({ type: 'tools-used', [isNegated ? 'none' : 'all']: named })
}

interface Bounds {
  readonly min: number
  readonly max: number | undefined
}

function boundsOf(value: Fields, least: number): Bounds | Problem {
  const [min, max] = [value['min'] ?? least, value['max'] ?? undefined]
  const isCount = (one: Json) => option.integer(0).holds(one) && (one as number) <= mostCalls
  const wrong = [min, max].find((one) => one !== undefined && !isCount(one))
  if (wrong !== undefined)
    return { problem: `needs whole numbers from 0 to ${mostCalls} as "min" and "max" (got ${printed(wrong)})` }
  const bounds = { min: min as number, max: max as number | undefined }
  if (bounds.min > (bounds.max ?? mostCalls))
    return { problem: `never holds: "max" is ${bounds.max}, below "min", which is ${bounds.min}` }
  return bounds.min === 0 && bounds.max === undefined
    ? { problem: 'always holds: it has neither "min" nor "max"' }
    : bounds
}

/** Limits the number of calls of one tool. */
function calledTimes(name: string, { min, max }: Bounds): Moved {
  if (name === '*') {
    if (max === 0) return noTool
    return min === 1 && max === undefined
      ? negated(noTool)
      : { problem: 'with a number of calls of any tool has no counterpart: write the names of the tools' }
  }
  if (min <= 1) {
    const most = max === undefined ? {} : max === 0 ? { none: [name] } : { atMost: { [name]: max } }
    return judged({ type: 'tools-used', ...(min === 1 ? { all: [name] } : {}), ...most })
  }
  const times =
    max === undefined
      ? { expected: [{ name, times: min }], extra: 'allowed' }
      : { expected: [{ name, times: [min, max] }] }
  return judged({ type: 'tool-calls', ...times, only: [name] })
}

function toolUsed(value: Json | undefined, isNegated: boolean): Moved {
  if (!isFields(value)) return toolsUsed(Array.isArray(value) ? value : [value ?? ''], isNegated)
  const tool = toolOf(value, ['min', 'max'])
  if ('problem' in tool) return tool
  const bounds = boundsOf(value, 1)
  if ('problem' in bounds) return bounds
  const moved = calledTimes(tool.name, bounds)
  return isNegated ? negated(moved) : moved
}

/** Steps other than tool calls are spans, which no judge sees. */
function stepCount(value: Json | undefined): Moved {
  if (!isFields(value)) return { problem: `needs an object with "min" or "max" (got ${printed(value)})` }
  const types = [value['type'] ?? []].flat()
  if (types.length === 0 || types.some((type) => type !== 'tool'))
    return { problem: 'with steps of other types than "tool" has no counterpart: only calls of tools have one' }
  const isAny = value['name'] === undefined && value['pattern'] === undefined
  const tool = toolOf(isAny ? { ...value, name: '*' } : value, ['min', 'max'])
  if ('problem' in tool) return tool
  const bounds = boundsOf(value, 0)
  return 'problem' in bounds ? bounds : calledTimes(tool.name, bounds)
}

function toolSequence(value: Json | undefined): Moved {
  const { steps, mode = 'in_order', ...others } = (isFields(value) ? value : { steps: value ?? null }) as Fields
  const [other] = Object.keys(others)
  if (other !== undefined) return { problem: `with "${other}" has no counterpart` }
  if (mode !== 'in_order' && mode !== 'exact')
    return { problem: `needs "in_order" or "exact" as "mode" (got ${printed(mode)})` }
  if (!Array.isArray(steps)) return { problem: `needs a list of steps (got ${printed(steps)})` }
  const tools = toolsOf(steps as readonly Json[])
  if ('problem' in tools) return tools
  if (tools.names.includes('*'))
    return { problem: 'with a step of any tool has no counterpart: write the names of the tools' }
  const expected = tools.names.map((name) => ({ name }))
  // In order and without other calls is exact; commands do not count as steps.
  return judged({ type: 'tool-calls', expected, order: 'in-order', extra: mode === 'exact' ? shells : 'allowed' })
}

/** One call of the tool must have the arguments. */
function toolArguments(value: Json | undefined): Moved {
  if (!isFields(value)) return { problem: `needs an object with "name" and "args" (got ${printed(value)})` }
  const tool = toolOf(value, ['args', 'arguments', 'mode', 'defaults', 'ignore'])
  if ('problem' in tool) return tool
  if (tool.name === '*') return { problem: 'with any tool has no counterpart: write the name of the tool' }
  const { mode = 'partial', defaults = {}, ignore = [] } = value
  const args = Object.hasOwn(value, 'args') ? value['args'] : value['arguments']
  if (mode !== 'partial' && mode !== 'exact')
    return { problem: `needs "partial" or "exact" as "mode" (got ${printed(mode)})` }
  if (!isFields(args)) return { problem: `needs an object of arguments as "args" (got ${printed(args)})` }
  if (!isFields(defaults)) return { problem: `needs an object as "defaults" (got ${printed(defaults)})` }
  const ignored = [ignore].flat()
  if (!ignored.every((one) => typeof one === 'string' && one.trim() !== ''))
    return { problem: `needs names of arguments as "ignore" (got ${printed(ignore)})` }
  const called = { type: 'tool-calls', extra: 'allowed' }
  if (mode === 'exact') {
    if (ignored.length + Object.keys(defaults).length > 0)
      return { problem: 'in the mode "exact" with "defaults" or "ignore" has no counterpart' }
    return judged({ ...called, expected: [{ name: tool.name, input: { equals: args } }] })
  }
  // Other arguments are allowed anyway, so `defaults` and `ignore` concern only expected arguments.
  if (Object.keys(defaults).some((name) => Object.hasOwn(args, name)))
    return { problem: 'with an argument in "args" and in "defaults" has no counterpart' }
  if (ignored.some((name) => /[*?]/.test(String(name))))
    return { problem: 'with a pattern in "ignore" has no counterpart' }
  const input = Object.fromEntries(Object.entries(args).filter(([name]) => !ignored.includes(name)))
  const rule = ruleIn(input)
  if (rule !== undefined)
    return { problem: `with the arguments ${printed(rule)} has no counterpart: they would be a rule of Jurist` }
  return judged({ ...called, expected: [{ name: tool.name, input }], inputs: 'contains' })
}

const ruleKeys: ReadonlySet<string> = new Set(['equals', 'contains', 'matches', 'oneOf', 'close,within'])

/** Returns the first object among the arguments that `toolCalls` would read as a rule. */
function ruleIn(value: Json): Json | undefined {
  if (isFields(value) && ruleKeys.has(Object.keys(value).sort().join())) return value
  const parts = Array.isArray(value) ? value : isFields(value) ? Object.values(value) : []
  return parts.map(ruleIn).find((found) => found !== undefined)
}

const moves: { readonly [type: string]: (value: Json | undefined, isNegated: boolean) => Moved } = {
  'trajectory:tool-used': toolUsed,
  'trajectory:step-count': stepCount,
  'trajectory:tool-sequence': toolSequence,
  'trajectory:tool-args-match': toolArguments,
  'trajectory:goal-success': () => ({
    problem: 'has no counterpart: its model sees other parts of the trace. The nearest judge is tool-criteria',
  }),
}

export const trajectoryTypes: readonly string[] = Object.keys(moves)

/**
 * The conversions of assertions about a trajectory, also with `not-`. For several tools, `not-trajectory:tool-used`
 * forbids each of them, which is stricter than the opposite of using all.
 */
export const trajectoryMoves: { readonly [type: string]: (value: Json | undefined) => Moved } = Object.fromEntries(
  Object.entries(moves).flatMap(([type, move]) =>
    [false, true].map((isNegated) => [
      `${isNegated ? 'not-' : ''}${type}`,
      (value: Json | undefined): Moved => {
        const moved = move(value, isNegated)
        if ('problem' in moved) return { problem: `${isNegated ? 'not-' : ''}${type} ${moved.problem}` }
        return isNegated && move !== toolUsed ? negated(moved) : moved
      },
    ]),
  ),
)
