import type { Agent, AgentTask, CommandResult, WritableWorkspace } from '@jurist/core'
import {
  checkOptions,
  described,
  failureOf,
  type OptionDescriptions,
  option,
  optionInvalid,
} from '@jurist/core/internal'
import type { JudgeModel } from '@jurist/core/llm'
import { agentModel } from '../agent/model.js'
import { type CodingAgentOptions, codingRules } from '../coding/coding-options.js'
import { type CodingCall, codingAgent, inlinedPrompt } from '../coding/coding-run.js'
import { scratchDirectory } from '../coding/environment.js'
import { endFailure } from '../coding/failures.js'
import {
  badEnding,
  type CommandPlace,
  commandPlace,
  type EndedCommand,
  runInWorkspace,
} from '../coding/workspace-command.js'
import type { RunOutcome } from '../context/outcome.js'
import { withoutMiddle } from '../context/to-json.js'
import type { WriteJournal } from '../run/journal.js'
import { checkedReading, type Read, readOutput } from './reading.js'

/** The options of `commandAgent`. */
export interface CommandAgentOptions extends CodingAgentOptions {
  /** A program and its arguments, with placeholders such as `{{prompt}}`. It never passes through a shell. */
  readonly command: CommandTemplate
  /** The agent's name in messages. Default: the program. */
  readonly name?: string
  /** How the prompt is passed. Default: `argument` if an argument contains `{{prompt}}`, else `stdin`. With `file`, `{{prompt}}` is a path. */
  readonly promptThrough?: 'argument' | 'stdin' | 'file'
  /** How the output is read. Default `text`. */
  readonly read?: Read
  /** The exit codes of success. Default `[0]`. */
  readonly successCodes?: readonly number[]
  /** The maximum size of each output stream in bytes. Default 8 MiB. */
  readonly maxOutputBytes?: number
}

/** In a config, `read` is one of the words. */
export const commandAgentOptions: OptionDescriptions<CommandAgentOptions> = {
  command: {
    ...option.anything,
    schema: { type: 'array', items: { type: ['string', 'object'] }, minItems: 1 },
    description:
      'A program and its arguments, with placeholders such as `{{prompt}}`. It never passes through a shell.',
  },
  name: described(option.string, "The agent's name in messages. Default: the program."),
  promptThrough: described(
    option.oneOf('argument', 'stdin', 'file'),
    'How the prompt is passed. Default: argument, if an argument contains `{{prompt}}`, else stdin.',
  ),
  read: {
    ...option.either(option.oneOf('text', 'json', 'json-lines'), option.function),
    schema: { enum: ['text', 'json', 'json-lines'] },
    description: 'How the output is read.',
    default: 'text',
  },
  successCodes: {
    wants: 'an array of exit codes',
    holds: (value) => Array.isArray(value) && value.length > 0 && value.every(Number.isInteger),
    schema: { type: 'array', items: { type: 'integer' }, minItems: 1 },
    description: 'The exit codes of success.',
    default: [0],
  },
  maxOutputBytes: described(option.integer(1), 'The maximum size of each output stream in bytes.', 8 * 1024 * 1024),
  ...codingRules,
}

const prefix = 'command'

/** The operating system accepts no longer arguments. */
const longestArgument = 100_000

/**
 * Creates an agent from a program. `workspace.run` runs it where the workspace runs commands: on this machine, in
 * bubblewrap, in a container. The prompt never becomes an option of the program and never passes through a shell.
 *
 * @throws `option-invalid`, also for an unknown variable in `command`
 *
 * @example
 * import { commandAgent } from '@jurist/bridges/command'
 *
 * const agent = commandAgent({ command: ['my-agent', '--task={{prompt}}', { when: 'model', then: ['-m', '{{model}}'] }] })
 */
export function commandAgent(options: CommandAgentOptions): Agent {
  const checked = checkOptions('commandAgent', options, commandAgentOptions)
  const problems = commandProblems(checked.command)
  if (problems.length > 0) optionInvalid('command', `commandAgent: "command" ${problems.join('; it ')}.`)
  const run = (call: CodingCall) => runProgram(call, checked)
  return codingAgent('commandAgent', { prefix, startedBy: 'workspace', run }, checked)
}

async function runProgram(call: CodingCall, options: CommandAgentOptions): Promise<RunOutcome> {
  const { task, write } = call
  const { command, read = 'text', successCodes = [0], maxOutputBytes = 8 * 1024 * 1024 } = options
  const names = namesIn(command)
  const prompt = names.has('systemPrompt') ? task.prompt : inlinedPrompt(call)
  await using file = isFileNeeded(options, prompt) ? await promptFile(call, prompt) : undefined
  const place = file?.place ?? (needsWorkspace(command) ? await commandPlace(call) : undefined)
  const throughDefault = names.has('prompt') ? 'argument' : 'stdin'
  const isStdin = (options.promptThrough ?? throughDefault) === 'stdin'
  const values = valuesOf(task, { prompt: file?.path ?? prompt, model: call.model, workspace: place?.root })
  const words = argumentsFor(command, values)
  write({ type: 'prompt', text: prompt })
  const result = await runInWorkspace(call, { words, stdin: isStdin ? prompt : undefined, maxOutputBytes })
  const program = options.name ?? command[0]
  const outcome = commandOutcome({ result, program, read, successCodes, signal: task.signal, secrets: call.secrets })
  writeOutcome(write, outcome, result)
  return outcome
}

/** By option, or because the prompt is too long for an argument. */
function isFileNeeded({ promptThrough, command }: CommandAgentOptions, prompt: string): boolean {
  if (promptThrough !== undefined && promptThrough !== 'argument') return promptThrough === 'file'
  return namesIn(command).has('prompt') && new TextEncoder().encode(prompt).length > longestArgument
}

const maxText = 65_536

function writeOutcome(
  write: WriteJournal,
  { output, facts, failure }: RunOutcome,
  { stdout, stderr }: CommandResult,
): void {
  const { model, usage, toolExecutions = [] } = facts
  if (model !== undefined || usage !== undefined) write({ type: 'model-call', model: model ?? 'unknown', usage })
  for (const { id, name, input } of toolExecutions) write({ type: 'tool-call', id, name, input })
  if (output?.type === 'text') write({ type: 'text', text: output.text })
  if (output === undefined || failure?.code === 'agent-protocol')
    write({ type: 'custom', name: 'command.stdout', data: withoutMiddle(stdout, maxText) })
  if (stderr !== '') write({ type: 'custom', name: 'command.stderr', data: withoutMiddle(stderr, maxText) })
}

/** A file that the command can read. Disposing deletes it. */
interface PromptFile extends AsyncDisposable {
  /** The path from the command's point of view. */
  readonly path: string
  readonly place: CommandPlace
}

/** Writes it outside the workspace, or inside it if commands see nothing else. */
async function promptFile(call: CodingCall, prompt: string): Promise<PromptFile> {
  const { writeFile } = await import('node:fs/promises')
  const directory = await scratchDirectory('prompt')
  const close = () => directory[Symbol.asyncDispose]()
  try {
    await writeFile(`${directory.path}/prompt.txt`, prompt)
    const place = await commandPlace(call, directory.path)
    if (place.isHere) return { path: `${directory.path}/prompt.txt`, place, [Symbol.asyncDispose]: close }
    await close()
    return await fileInside(call, prompt, place)
  } catch (thrown) {
    await close()
    throw thrown
  }
}

async function fileInside(
  { task, marker, warnings }: CodingCall,
  prompt: string,
  place: CommandPlace,
): Promise<PromptFile> {
  const name = `.jurist-prompt-${marker}.txt`
  await task.workspace.write(name, prompt)
  const remove = () => task.workspace.remove(name).catch(() => void warnings.push(`prompt-left: ${name}`))
  return { path: `${place.root ?? '.'}/${name}`, place, [Symbol.asyncDispose]: remove }
}

/** The options of `commandModel`. */
export interface CommandModelOptions {
  /** The same as for `commandAgent`. Without `{{prompt}}`, the prompt is passed through stdin. */
  readonly command: CommandTemplate
  /** Opens a workspace for each request. */
  readonly workspace: () => Promise<WritableWorkspace>
  /** How the output is read. Default `text`. */
  readonly read?: Read
}

/**
 * Creates a model from a program. Each request runs it once, in its own workspace.
 *
 * @throws `option-invalid`; a call rejects with `agent-failed`, `model-refused`, `model-timeout` or `aborted`
 *
 * @example
 * import { commandModel } from '@jurist/bridges/command'
 * import { emptyDirectory } from '@jurist/workspace'
 *
 * const model = commandModel({ command: ['llm', '-m', 'local'], workspace: () => emptyDirectory() })
 */
export function commandModel(options: CommandModelOptions): JudgeModel {
  const rules = { command: option.anything, workspace: option.function, read: option.anything }
  const { workspace, ...agent } = checkOptions('commandModel', options, rules)
  return agentModel(commandAgent(agent), { workspace })
}

/** Agents with a command line. With permissions other than `full` they ask for approval, which they do not receive. */
export interface Commands {
  /** Google's `gemini`. */
  gemini(options?: CodingAgentOptions): Agent
  /** Sourcegraph's `amp`; the prompt is passed through stdin. */
  amp(options?: CodingAgentOptions): Agent
  /** Amazon's `q chat`. */
  amazonQ(options?: CodingAgentOptions): Agent
  /** `mini`, the mini-SWE-agent. */
  miniSwe(options?: CodingAgentOptions): Agent
}

// biome-ignore lint/suspicious/noThenProperty: the name of the property in the public type
const withModel = (flag: string): CommandArgument => ({ when: 'model', then: [flag, '{{model}}'] })
const underFull = ({ permissions }: CodingAgentOptions, ...flags: readonly string[]): readonly string[] =>
  permissions === 'full' ? flags : []

/**
 * Agents for well-known programs, which must be installed.
 *
 * @example
 * import { commands } from '@jurist/bridges/command'
 *
 * const agent = commands.gemini({ permissions: 'full', environment: { allow: ['GEMINI_API_KEY'] } })
 */
export const commands: Commands = Object.freeze<Commands>({
  gemini: (options = {}) =>
    commandAgent({
      ...options,
      command: ['gemini', '--prompt={{prompt}}', withModel('-m'), ...underFull(options, '-y')],
    }),
  amp: (options = {}) =>
    commandAgent({
      ...options,
      command: ['amp', '-x', ...underFull(options, '--dangerously-allow-all')],
      promptThrough: 'stdin',
    }),
  amazonQ: (options = {}) =>
    commandAgent({
      ...options,
      command: ['q', 'chat', '--no-interactive', ...underFull(options, '--trust-all-tools'), '--', '{{prompt}}'],
    }),
  miniSwe: (options = {}) =>
    commandAgent({
      ...options,
      command: ['mini', '--yolo', '--exit-immediately', '--task={{prompt}}', withModel('--model')],
    }),
})

/** The placeholders of a command. */
export type CommandVariable =
  | 'prompt'
  | 'systemPrompt'
  | 'model'
  | 'workspace'
  | 'timeoutSeconds'
  | `metadata.${string}`

/** An argument with placeholders, or arguments that are left out when a variable has no value. */
export type CommandArgument = string | { readonly when: CommandVariable; readonly then: readonly string[] }

/** A program and its arguments. They are never joined and never passed to a shell. */
export type CommandTemplate = readonly [string, ...CommandArgument[]]

const names: ReadonlySet<string> = new Set(['prompt', 'systemPrompt', 'model', 'workspace', 'timeoutSeconds'])
const placeholder = /\\\{\{|\{\{[ \t]*([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*\}\}/g

/** Predicates of a sentence. */
function commandProblems(command: unknown): readonly string[] {
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

function namesIn(command: CommandTemplate): ReadonlySet<string> {
  const [, ...rest] = command
  return new Set(rest.flatMap((part) => (typeof part === 'string' ? [part] : part.then)).flatMap(namesInText))
}

/** In an argument or as a condition. */
function needsWorkspace(command: CommandTemplate): boolean {
  return (
    namesIn(command).has('workspace') || command.some((part) => typeof part !== 'string' && part.when === 'workspace')
  )
}

/** Leaves out escaped placeholders. */
function namesInText(text: string): readonly string[] {
  return [...text.matchAll(placeholder)].flatMap(([, name]) => name ?? [])
}

function isVariable(name: string): boolean {
  return names.has(name) || /^metadata\../.test(name)
}

type ValueOf = (name: string) => string | undefined

interface OtherValues {
  /** The prompt, or the path of its file. */
  readonly prompt: string
  readonly model: string | undefined
  /** The workspace's directory from the command's point of view. */
  readonly workspace: string | undefined
}

function valuesOf(task: AgentTask, { prompt, model, workspace }: OtherValues): ValueOf {
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
 * Placeholders are replaced in one pass; placeholders inside values are not.
 *
 * @throws `option-invalid` when a variable outside a group has no value, or a value would become an option
 */
function argumentsFor(command: CommandTemplate, values: ValueOf): readonly [string, ...string[]] {
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
  optionInvalid('command', `commandAgent: ${problem}.`)
}

interface CommandEnding extends EndedCommand {
  readonly read: Read
}

/** The way the command ended decides first, then its exit code, then its output. */
function commandOutcome(ending: CommandEnding): RunOutcome {
  const { result } = ending
  const ended = badEnding(ending)
  const reading = readingOf(ending)
  const cut = result.truncated ? ['output-truncated'] : []
  return {
    ...reading,
    status: ended?.status ?? reading.status,
    failure: ended?.failure ?? reading.failure,
    facts: { ...reading.facts, warnings: [...cut, ...(reading.facts.warnings ?? [])] },
    own: { exitCode: result.exitCode ?? undefined, ...reading.own },
  }
}

/** Unreadable output is a failure of the agent, unless the command itself failed. */
function readingOf({ read, result, program }: CommandEnding): RunOutcome {
  try {
    return checkedReading(readOutput(read, result))
  } catch (thrown) {
    const message = `The output of ${program} could not be read: ${failureOf(thrown).message}.`
    return { status: 'failed', failure: endFailure('agent-protocol', message), facts: {} }
  }
}
