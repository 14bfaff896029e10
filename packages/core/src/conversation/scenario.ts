import type { AgentTask } from '../agent.js'
import { nonBlank } from '../field-rules.js'
import { isPlainObject } from '../json.js'
import { checkRequired, type OptionRule, option, optionInvalid } from '../options.js'

/** What the user of a conversation wants and knows. The agent never sees it. */
export interface Scenario {
  /** What the user wants to reach. */
  readonly goal: string
  /** What the user knows and may tell when it is asked. Default: nothing. */
  readonly facts?: readonly string[]
  /** How the user talks. Default: plainly and briefly. */
  readonly manner?: string
  /** The first message, sent word for word. Default: the user thinks of one. */
  readonly opening?: string
  /** What the user keeps to itself. Default: nothing. */
  readonly mustNotReveal?: readonly string[]
  /** When the user is satisfied. Default: when the goal is reached. */
  readonly stopWhen?: string
  /** The messages of a scripted user, in order. */
  readonly messages?: readonly string[]
}

const listed: OptionRule = {
  wants: 'a string or an array of strings',
  holds: (value) => typeof value === 'string' || option.strings.holds(value),
}

const rules: { readonly [name in keyof Required<Scenario>]: OptionRule } = {
  goal: nonBlank,
  facts: listed,
  manner: option.string,
  opening: option.string,
  mustNotReveal: listed,
  stopWhen: option.string,
  messages: option.strings,
}

const names = Object.keys(rules) as readonly (keyof Scenario)[]

/**
 * The scenario of a task: the `scenario` of its metadata, which is that of the item; else the columns of the item that are
 * named like its fields, when `goal` is among them; else the task itself is the goal. Facts in one string are one a line.
 *
 * @throws `option-invalid` when it is not a scenario
 */
export function scenarioOf(task: AgentTask): Scenario {
  const { scenario } = task.metadata ?? {}
  if (scenario !== undefined) return readScenario(scenario)
  const { input } = task
  if (input?.['goal'] === undefined) return Object.freeze({ goal: task.prompt })
  const given = names.flatMap((name) => (isGiven(input[name]) ? [[name, input[name]] as const] : []))
  return readScenario(Object.fromEntries(given))
}

/** An empty cell of a table gives nothing. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

function readScenario(value: unknown): Scenario {
  if (!isPlainObject(value)) optionInvalid('scenario', 'The scenario must be an object. Write {"goal": "…"}.')
  const { facts, mustNotReveal, ...rest } = checkRequired<Scenario>('scenario', value as never, rules, ['goal'])
  return Object.freeze({
    ...rest,
    ...(facts === undefined ? {} : { facts: linesOf(facts) }),
    ...(mustNotReveal === undefined ? {} : { mustNotReveal: linesOf(mustNotReveal) }),
  })
}

function linesOf(given: string | readonly string[]): readonly string[] {
  const lines = typeof given === 'string' ? given.split('\n') : given
  return Object.freeze(lines.map((line) => line.trim()).filter((line) => line !== ''))
}
