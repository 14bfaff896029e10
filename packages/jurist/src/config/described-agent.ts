import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  type Agent,
  type AgentTask,
  type CommandResult,
  type Invocation,
  isPlainObject,
  option,
  type Place,
  printed,
  textOutput,
} from '@jurist/core'
import { describedExport } from './described-export.js'
import { reportUnknownKeys } from './issues.js'
import { isUse, type Reading, used } from './reading.js'

interface CommandAgent {
  readonly command: readonly string[]
  /** Whether the command reads the prompt. Default `none`. */
  readonly stdin?: 'prompt' | 'none'
  /** A file of the workspace that the prompt is written to first. */
  readonly promptFile?: string
  /** Milliseconds. Default: the limit of the trial. */
  readonly timeoutMs?: number
}

const rules = {
  command: option.strings,
  stdin: option.oneOf('prompt', 'none'),
  promptFile: option.string,
  timeoutMs: option.positive,
}

/** The agent that `{command, stdin?, promptFile?, timeoutMs?}`, `{module, export?, options?}` or `{use}` describes. */
export async function describedAgent(value: unknown, place: Place, reading: Reading): Promise<Agent | undefined> {
  const { report, directory } = reading
  if (!isPlainObject(value)) {
    report(place, `${printed(value)} is no agent.`, 'Write {command: [program, argument]} or {module: ./agent.ts}.')
    return undefined
  }
  if (isUse(value)) return used(value, 'agents', place, reading) as Agent | undefined
  if (value.module !== undefined) return (await describedExport(value, place, reading, 'agent')) as Agent | undefined
  reportUnknownKeys(value, Object.keys(rules), place, report)
  for (const [name, rule] of Object.entries(rules))
    if (value[name] !== undefined && !rule.holds(value[name]))
      report([...place, name], `must be ${rule.wants}, not ${printed(value[name])}.`, '')
  if (!Array.isArray(value.command) || value.command.length === 0) {
    report([...place, 'command'], 'is missing.', 'Write the program and its arguments as a list.')
    return undefined
  }
  return commandAgent(value as unknown as CommandAgent, directory)
}

function commandAgent({ command, stdin = 'none', promptFile, timeoutMs }: CommandAgent, directory: string): Agent {
  return async function commandAgent(task) {
    if (promptFile !== undefined) await task.workspace.write(promptFile, task.prompt)
    const argv = await Promise.all(command.map((argument) => filled(argument, task, directory)))
    const result = await task.workspace.run(argv, {
      signal: task.signal,
      timeoutMs: timeoutMs ?? null,
      ...(task.env === undefined ? {} : { env: task.env }),
      stdin: stdin === 'prompt' ? { text: task.prompt } : 'ignore',
    })
    return invocationOf(result, command[0] ?? '')
  }
}

/** One argument with its placeholders filled in; a file that lies beside the config is named by its whole path. */
async function filled(argument: string, { prompt, model }: AgentTask, directory: string): Promise<string> {
  if (!argument.includes('{{')) {
    const file = resolve(directory, argument)
    return (await stat(file)
      .then((found) => found.isFile())
      .catch(() => false))
      ? file
      : argument
  }
  return argument.replace(/\{\{\s*(prompt|model)\s*\}\}/g, (_, name) => (name === 'prompt' ? prompt : (model ?? '')))
}

function invocationOf(result: CommandResult, program: string): Invocation {
  const { status, exitCode, stdout, stderr, elapsedMs, failure } = result
  const facts = { output: textOutput(stdout), elapsedMs }
  if (status === 'exited' && exitCode === 0) return { status: 'completed', ...facts }
  if (status === 'timed-out')
    return {
      status: 'timeout',
      ...facts,
      failure: { name: 'Timeout', message: `${program} ran out of time`, code: 'agent-timeout' },
    }
  if (status === 'aborted') return { status: 'cancelled', ...facts }
  const said = stderr.trim().split('\n').at(-1) ?? ''
  const how = status === 'exited' ? `exited with ${exitCode}` : `was ${status}`
  const message = `${program} ${how}${said === '' ? '' : `: ${said}`}`
  return { status: 'error', ...facts, failure: failure ?? { name: 'CommandFailed', message, code: 'command-failed' } }
}
