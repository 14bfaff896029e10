import { type AgentTask, JuristError } from '@jurist/core'

/** The placeholders of a command. */
export type CommandVariable =
  | 'prompt'
  | 'systemPrompt'
  | 'model'
  | 'workspace'
  | 'timeoutSeconds'
  | `metadata.${string}`

/** An argument with placeholders, or arguments that are left out when a variable has no value. */
export type Argument = string | { readonly when: CommandVariable; readonly then: readonly string[] }

/** A program and its arguments. They are never joined and never passed to a shell. */
export type CommandLine = readonly [string, ...Argument[]]

const names: ReadonlySet<string> = new Set(['prompt', 'systemPrompt', 'model', 'workspace', 'timeoutSeconds'])
const placeholder = /\\\{\{|\{\{[ \t]*([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*\}\}/g

/** The problems of a command, as predicates of a sentence. */
export function commandProblems(command: unknown): readonly string[] {
  if (!Array.isArray(command) || typeof command[0] !== 'string' || command[0].trim() === '')
    return ['must be an array that begins with a program, such as ["my-agent", "{{prompt}}"]']
  return command.flatMap((argument: unknown) => {
    if (typeof argument === 'string') return unknownNames(argument)
    const { when, then } = (argument ?? {}) as { readonly when?: unknown; readonly then?: unknown }
    const isGroup = typeof when === 'string' && Array.isArray(then) && then.every((one) => typeof one === 'string')
    if (!isGroup) return ['must contain only strings and groups {when, then}']
    const unknown = isVariable(when) ? [] : [`uses the unknown variable ${JSON.stringify(when)}`]
    return [...unknown, ...then.flatMap(unknownNames)]
  })
}

function unknownNames(text: string): readonly string[] {
  const unknown = namesInText(text).filter((name) => !isVariable(name))
  return unknown.map((name) => `uses the unknown variable ${JSON.stringify(name)}`)
}

/** The placeholders in the arguments of a command. */
export function namesIn(command: CommandLine): ReadonlySet<string> {
  const [, ...rest] = command
  return new Set(rest.flatMap((part) => (typeof part === 'string' ? [part] : part.then)).flatMap(namesInText))
}

/** Whether a command needs the directory of the workspace, in an argument or as a condition. */
export function needsWorkspace(command: CommandLine): boolean {
  return (
    namesIn(command).has('workspace') || command.some((part) => typeof part !== 'string' && part.when === 'workspace')
  )
}

/** The placeholders in a string, without escaped ones. */
function namesInText(text: string): readonly string[] {
  return [...text.matchAll(placeholder)].flatMap(([, name]) => name ?? [])
}

function isVariable(name: string): boolean {
  return names.has(name) || /^metadata\../.test(name)
}

/** The value of each variable for one task. */
export type ValueOf = (name: string) => string | undefined

/** Values that the task does not contain. */
export interface OtherValues {
  /** The prompt, or the path of its file. */
  readonly prompt: string
  readonly model: string | undefined
  /** The workspace's directory from the command's point of view. */
  readonly workspace: string | undefined
}

/** The values of a task. */
export function valuesOf(task: AgentTask, { prompt, model, workspace }: OtherValues): ValueOf {
  const seconds = task.timeoutMs === undefined ? undefined : String(Math.ceil(task.timeoutMs / 1_000))
  const known: { readonly [name: string]: string | undefined } = {
    prompt,
    systemPrompt: task.systemPrompt,
    model,
    workspace,
    timeoutSeconds: seconds,
  }
  return (name) => {
    if (!name.startsWith('metadata.')) return known[name]
    const value = task.metadata?.[name.slice('metadata.'.length)]
    if (value === undefined || value === null) return undefined
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
}

/**
 * The arguments for one task. Placeholders are replaced in one pass; placeholders inside values are not.
 *
 * @throws `option-invalid` when a variable outside a group has no value, or a value would become an option
 */
export function argumentsFor(command: CommandLine, values: ValueOf): readonly [string, ...string[]] {
  const [program, ...rest] = command
  const argv: string[] = []
  for (const argument of rest) {
    const parts = typeof argument === 'string' ? [argument] : values(argument.when) === undefined ? [] : argument.then
    for (const part of parts) argv.push(filled(part, values, argv.includes('--')))
  }
  return [program, ...argv]
}

function filled(part: string, values: ValueOf, isAfterDashes: boolean): string {
  const text = part.replaceAll(placeholder, (_written: string, name: string | undefined) => {
    if (name === undefined) return '{{'
    const value = values(name)
    if (value === undefined) return refuse(`the variable ${name} has no value. Put it into a group {when, then}`)
    return value
  })
  const begins = /^\{\{/.test(part)
  if (begins && !isAfterDashes && text.startsWith('-'))
    refuse(
      `the argument ${part} would become the option ${text.slice(0, 40)}. Write "--" before it, join it to an option ` +
        '("--prompt={{prompt}}"), or pass the prompt through stdin',
    )
  return text
}

function refuse(problem: string): never {
  throw new JuristError('option-invalid', `commandAgent: ${problem}.`, { option: 'command' })
}
