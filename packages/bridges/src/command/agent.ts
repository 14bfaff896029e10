import { type Agent, type CommandResult, JuristError, type WritableWorkspace } from '@jurist/core'
import { checkOptions, described, type OptionDescriptions, option } from '@jurist/core/internal'
import type { JudgeModel } from '@jurist/core/llm'
import { agentModel } from '../agent/model.js'
import { type CodingAgentOptions, codingRules } from '../coding/coding-options.js'
import { type CodingCall, codingRun, inlinedPrompt } from '../coding/coding-run.js'
import { scratchDirectory } from '../coding/environment.js'
import { type CommandPlace, commandPlace, runInWorkspace } from '../coding/workspace-command.js'
import type { RunOutcome } from '../context/outcome.js'
import { withoutMiddle } from '../context/to-json.js'
import type { WriteJournal } from '../run/journal.js'
import {
  type Argument,
  argumentsFor,
  type CommandLine,
  commandProblems,
  namesIn,
  needsWorkspace,
  valuesOf,
} from './arguments.js'
import { commandOutcome } from './outcome.js'
import type { Read } from './reading.js'

/** The options of `commandAgent`. */
export interface CommandAgentOptions extends CodingAgentOptions {
  /** A program and its arguments, with placeholders such as `{{prompt}}`. It never passes through a shell. */
  readonly command: CommandLine
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

/** What each of these options is. In a config, `read` is one of the words. */
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
 * A program as an agent. `workspace.run` runs it where the workspace runs commands: on this machine, in bubblewrap, in a
 * container. The prompt never becomes an option of the program and never passes through a shell.
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
  if (problems.length > 0)
    throw new JuristError('option-invalid', `commandAgent: "command" ${problems.join('; it ')}.`, { option: 'command' })
  const run = (call: CodingCall) => runProgram(call, checked)
  return function commandAgent(task) {
    return codingRun({ prefix, startedBy: 'workspace', run }, checked, task)
  }
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

/** Whether the prompt is passed in a file: by option, or because it is too long for an argument. */
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

/** A prompt in a file that the command can read. Disposing it deletes the file. */
interface PromptFile extends AsyncDisposable {
  /** The path from the command's point of view. */
  readonly path: string
  readonly place: CommandPlace
}

/** Writes a prompt outside the workspace, or inside it if commands see nothing else. */
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
  /** As for `commandAgent`. Without `{{prompt}}`, the prompt is passed through stdin. */
  readonly command: CommandLine
  /** Opens a workspace for each request. */
  readonly workspace: () => Promise<WritableWorkspace>
  /** How the output is read. Default `text`. */
  readonly read?: Read
}

/**
 * A program as a model. Each request runs it once, in its own workspace.
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
const withModel = (flag: string): Argument => ({ when: 'model', then: [flag, '{{model}}'] })
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
