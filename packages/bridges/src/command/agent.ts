import type { Agent, AgentTask, CommandResult, OptionRule } from '@jurist/core'
import { checkOptions, JuristError, option } from '@jurist/core'
import type { CodingAgentOptions } from '../coding/coding-options.js'
import { codingRules } from '../coding/coding-options.js'
import { runEnvironment } from '../coding/run-environment.js'
import { scratchDirectory } from '../coding/scratch-home.js'
import type { Prices } from '../context/cost.js'
import { costOf } from '../context/cost.js'
import type { RunOutcome } from '../context/outcome.js'
import { withoutMiddle } from '../context/shorten.js'
import { invocationOf } from '../run/invocation.js'
import type { WriteJournal } from '../run/journal.js'
import { journalFor } from '../run/journal.js'
import { secretsIn } from '../run/secrets.js'
import { argumentsFor, type CommandLine, commandProblems, valuesOf } from './argv.js'
import { commandOutcome } from './outcome.js'
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
  maxOutputBytes: option.positive,
}

/** The prefix of the metadata keys. */
export const prefix = 'command'

/** A longer value cannot stand among the arguments of a process. */
const longestArgument = 100_000
const longestRun = 24 * 60 * 60 * 1_000

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
  return async function commandAgent(task) {
    return performed(checked, task)
  }
}

async function performed(options: CommandAgentOptions, task: AgentTask) {
  const { command, environment = {}, prices, transcript, read = 'text', successCodes = [0] } = options
  const start = performance.now()
  const warnings: string[] = []
  await using surroundings = await runEnvironment(environment, task)
  await using file = await promptFile(options, task)
  const secrets = secretsIn(surroundings.variables)
  const write = journalFor({ record: task.record, transcript, secrets, warnings })
  const { argv, stdin } = invocationFor(options, task, file.path)
  write({ type: 'state', state: 'started' })
  write({ type: 'prompt', text: task.prompt })
  const result = await task.workspace.run(argv, {
    env: surroundings.variables,
    signal: task.signal,
    timeoutMs: task.timeoutMs ?? longestRun,
    maxOutputBytes: options.maxOutputBytes ?? 8 * 1024 * 1024,
    ...(stdin === undefined ? {} : { stdin: { text: stdin } }),
    ...(options.graceMs === undefined ? {} : { killAfterMs: options.graceMs }),
  })
  const program = options.name ?? command[0]
  const outcome = commandOutcome({ result, program, read, successCodes, signal: task.signal })
  tell(write, outcome, result)
  const whole = withCost(outcome, prices, warnings)
  return invocationOf(whole, { prefix, prompt: task.prompt, elapsedMs: performance.now() - start, secrets })
}

interface PromptFile extends AsyncDisposable {
  readonly path: string | undefined
}

/** The prompt in a scratch file, where it goes through one or is too long for an argument. */
async function promptFile({ promptThrough, command }: CommandAgentOptions, { prompt }: AgentTask): Promise<PromptFile> {
  const isLong =
    isNamed(command) && promptThrough !== 'stdin' && new TextEncoder().encode(prompt).length > longestArgument
  if (promptThrough !== 'file' && !isLong) return { path: undefined, async [Symbol.asyncDispose]() {} }
  const { writeFile } = await import('node:fs/promises')
  const directory = await scratchDirectory('prompt')
  const path = `${directory.path}/prompt.txt`
  await writeFile(path, prompt)
  return { path, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() }
}

function isNamed(command: CommandLine): boolean {
  const texts = command.flatMap((argument) => (typeof argument === 'string' ? [argument] : argument.then))
  return texts.some((text) => /\{\{[ \t]*prompt[ \t]*\}\}/.test(text))
}

function invocationFor(options: CommandAgentOptions, task: AgentTask, file: string | undefined) {
  const { command, promptThrough = isNamed(command) ? 'argument' : 'stdin', model } = options
  const values = valuesOf(task, file ?? task.prompt, task.model ?? model)
  return { argv: argumentsFor(command, values), stdin: promptThrough === 'stdin' ? task.prompt : undefined }
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
  write({ type: 'state', state: 'finished' })
}

function withCost(outcome: RunOutcome, prices: Prices | undefined, warnings: string[]): RunOutcome {
  const { model, usage, costUsd } = outcome.facts
  const cost = costUsd === undefined && prices !== undefined ? costOf({ model, usage }, prices, warnings) : {}
  return {
    ...outcome,
    facts: { ...outcome.facts, ...cost, warnings: [...(outcome.facts.warnings ?? []), ...warnings] },
  }
}
