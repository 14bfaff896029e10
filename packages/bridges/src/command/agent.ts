import type { Agent, CommandResult } from '@jurist/core'
import { JuristError } from '@jurist/core'
import type { OptionRule } from '@jurist/core/internal'
import { checkOptions, option } from '@jurist/core/internal'
import type { CodingAgentOptions } from '../coding/coding-options.js'
import { codingRules } from '../coding/coding-options.js'
import type { CodingCall } from '../coding/coding-run.js'
import { codingRun, inlinedPrompt } from '../coding/coding-run.js'
import { commandPlace } from '../coding/command-place.js'
import { runInWorkspace } from '../coding/workspace-command.js'
import type { RunOutcome } from '../context/outcome.js'
import { withoutMiddle } from '../context/shorten.js'
import type { WriteJournal } from '../run/journal.js'
import { argumentsFor, type CommandLine, commandProblems, namesIn, needsWorkspace, valuesOf } from './argv.js'
import { commandOutcome } from './outcome.js'
import { promptFile } from './prompt-file.js'
import type { Read } from './reading.js'

/** A program that is an agent. */
export interface CommandAgentOptions extends CodingAgentOptions {
  /** A program and its arguments, `{{prompt}}` and other values in them; never given to a shell. */
  readonly command: CommandLine
  /** Default: the program. */
  readonly name?: string
  /** How the prompt gets there. Default: `argument` when an argument names it, else `stdin`. `file`: `{{prompt}}` is a path. */
  readonly promptThrough?: 'argument' | 'stdin' | 'file'
  /** How the output is read. Default `text`. */
  readonly read?: Read
  /** Default `[0]`. */
  readonly successCodes?: readonly number[]
  /** Default 8 MiB a stream. */
  readonly maxOutputBytes?: number
}

const rules: { readonly [name in keyof Required<CommandAgentOptions>]: OptionRule } = {
  ...codingRules,
  command: option.anything,
  name: option.string,
  promptThrough: option.oneOf('argument', 'stdin', 'file'),
  read: option.either(option.oneOf('text', 'json', 'json-lines'), option.function),
  successCodes: {
    wants: 'a list of exit codes',
    holds: (value) => Array.isArray(value) && value.length > 0 && value.every(Number.isInteger),
  },
  maxOutputBytes: option.integer(1),
}

/** The prefix of the metadata keys. */
export const prefix = 'command'

/** A longer value cannot stand among the arguments of a process. */
const longestArgument = 100_000

/**
 * An agent that is a program, run by `workspace.run` and therefore wherever the workspace runs: on the machine, in
 * bubblewrap, in a container. A prompt never becomes an option of the program, and never meets a shell.
 *
 * @throws `option-invalid`, also for an unknown variable in `command`
 *
 * @example
 * const agent = commandAgent({ command: ['my-agent', '--task={{prompt}}', { when: 'model', then: ['-m', '{{model}}'] }] })
 */
export function commandAgent(options: CommandAgentOptions): Agent {
  const checked = checkOptions('commandAgent', options, rules)
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
  tell(write, outcome, result)
  return outcome
}

/** Whether the prompt goes through a file: it was asked for, or it is too long for an argument. */
function isFileNeeded({ promptThrough, command }: CommandAgentOptions, prompt: string): boolean {
  if (promptThrough !== undefined && promptThrough !== 'argument') return promptThrough === 'file'
  return namesIn(command).has('prompt') && new TextEncoder().encode(prompt).length > longestArgument
}

const maxText = 65_536

function tell(write: WriteJournal, { output, facts, failure }: RunOutcome, { stdout, stderr }: CommandResult): void {
  const { model, usage, toolExecutions = [] } = facts
  if (model !== undefined || usage !== undefined)
    write({ type: 'model-call', model: model ?? 'unknown', ...(usage === undefined ? {} : { usage }) })
  for (const { id, name, input } of toolExecutions) write({ type: 'tool-call', id, name, input })
  if (output?.type === 'text') write({ type: 'text', text: output.text })
  if (output === undefined || failure?.code === 'agent-protocol')
    write({ type: 'custom', name: 'command.stdout', data: withoutMiddle(stdout, maxText) })
  if (stderr !== '') write({ type: 'custom', name: 'command.stderr', data: withoutMiddle(stderr, maxText) })
}
