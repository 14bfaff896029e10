import type { AgentTask } from '../agent.js'
import { isPlainObject } from '../json.js'
import { checkRequired, nonBlank, type OptionRule, option, optionInvalid } from '../options.js'

/** The goal and the knowledge of the user in a conversation. The agent never sees it. */
export interface Scenario {
  /** The user's goal. */
  readonly goal: string
  /** Facts that the user knows and may tell when asked. Default: none. */
  readonly facts?: readonly string[]
  /** The user's way of talking. Default: plain and brief. */
  readonly manner?: string
  /** The first message, sent word for word. Default: the user chooses one. */
  readonly opening?: string
  /** Facts that the user must not reveal. Default: none. */
  readonly mustNotReveal?: readonly string[]
  /** The condition under which the user is satisfied. Default: the goal is reached. */
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
 * Uses the `scenario` of the task's metadata, which is that of the item; otherwise the columns of the item that are
 * named like its fields, if `goal` is among them; otherwise the task as the goal. A string of facts has one per line.
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

/** Excludes empty cells of a table. */
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
