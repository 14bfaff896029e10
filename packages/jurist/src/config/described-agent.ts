import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CommandAgentOptions } from '@jurist/bridges/command'
import { type Agent, JuristError } from '@jurist/core'
import {
  described,
  failureOf,
  isPlainObject,
  type OptionDescriptions,
  type OptionRule,
  option,
  type Place,
  printed,
} from '@jurist/core/internal'
import type { JudgeModel, ModelOptions } from '@jurist/core/llm'
import { describedConversation } from './described-conversation.js'
import { describedExport } from './described-jury.js'
import { modelFrom } from './models.js'
import { isUse, type Reading, used } from './parts.js'
import { type Report, reportUnknownKeys } from './problems.js'

/** The options of a described agent in addition to those of `commandAgent`. */
interface Described {
  /** Whether the command reads the prompt. Default: if no argument and no `promptFile` contains it. */
  readonly stdin?: 'prompt' | 'none'
  /** A file of the workspace to which the prompt is written first. */
  readonly promptFile?: string
  /** Milliseconds. The limit of the trial applies as well. */
  readonly timeoutMs?: number
}

export const describedOptions: OptionDescriptions<Described> = {
  stdin: described(
    option.oneOf('prompt', 'none'),
    'Whether the command reads the prompt. Default: when no argument and no `promptFile` names it.',
  ),
  promptFile: described(option.string, 'A file of the workspace to which the prompt is written first.'),
  timeoutMs: described(option.positive, 'Milliseconds. The limit of the trial applies as well.'),
}

/**
 * Builds the agent that `{command, …}`, `{model, system?}`, `{module, export?, options?}`, `{conversation, user, …}` or
 * `{use}` describes. `command` is that of `commandAgent`, with its options.
 */
export async function describedAgent(value: unknown, place: Place, reading: Reading): Promise<Agent | undefined> {
  const { report } = reading
  if (!isPlainObject(value)) {
    report(
      place,
      `must be an agent (got ${printed(value)}).`,
      'Write {command: [program, argument]}, {model: NAME} or {module: ./agent.ts}.',
    )
    return undefined
  }
  if (isUse(value)) return used(value, 'agents', place, reading) as Agent | undefined
  if (value.module !== undefined) return (await describedExport(value, place, reading, 'agent')) as Agent | undefined
  if (value.model !== undefined) return describedModelAgent(value, place, reading)
  if (value.conversation !== undefined) return describedConversation(value, place, reading)
  const { commandAgentOptions } = await import('@jurist/bridges/internal')
  const names = [...Object.keys(commandAgentOptions), ...Object.keys(describedOptions)]
  reportUnknownKeys(value, names, place, report)
  for (const [name, rule] of Object.entries<OptionRule>(describedOptions))
    if (value[name] !== undefined && !rule.holds(value[name]))
      report([...place, name], `must be ${rule.wants} (got ${printed(value[name])}).`, '')
  if (!Array.isArray(value.command) || value.command.length === 0) {
    const problem =
      value.command === undefined ? 'is missing.' : `must be a non-empty array (got ${printed(value.command)}).`
    report([...place, 'command'], problem, 'Write the program and its arguments as an array: [sh, agent.sh].')
    return undefined
  }
  const known = Object.entries(value).filter(([name]) => names.includes(name))
  const options = Object.fromEntries(known) as unknown as CommandAgentOptions & Described
  // Loaded only for configs that describe such an agent.
  const { commandAgent } = await import('@jurist/bridges/command')
  const make = async () => {
    const agent = commandAgent(await optionsOf(options, reading.directory))
    return options.promptFile === undefined && options.timeoutMs === undefined ? agent : withLimits(agent, options)
  }
  return agentOf(make, 'commandAgent', place, report)
}

/** The further options of `{model, …}`. */
export const modelAgentOptions: OptionDescriptions<{ readonly system?: string; readonly options?: ModelOptions }> = {
  system: described(option.string, 'The system message. Default: the systemPrompt of the experiment.'),
  options: {
    ...option.record,
    schema: { $ref: '#/$defs/modelOptions' },
    description: 'Options of each request; they override the options of the model.',
  },
}

/** Builds the agent that is a model. A variant can replace a model that the config names. */
async function describedModelAgent(
  value: Readonly<Record<string, unknown>>,
  place: Place,
  { models = {}, report }: Reading,
): Promise<Agent | undefined> {
  const { model: given, ...options } = value
  reportUnknownKeys(options, Object.keys(modelAgentOptions), place, report)
  const { modelAgent } = await import('@jurist/core/llm')
  const known = Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(modelAgentOptions, name)))
  const make = () => {
    const model = modelFrom(given, models)
    if (typeof given !== 'string') return modelAgent(model, known)
    return modelAgent(models as Readonly<Record<string, JudgeModel>>, { ...known, model: given })
  }
  return agentOf(make, 'modelAgent', place, report)
}

/** Calls the factory of an agent, and reports the option that it refuses. */
async function agentOf(
  make: () => Agent | Promise<Agent>,
  factory: string,
  place: Place,
  report: Report,
): Promise<Agent | undefined> {
  try {
    return await make()
  } catch (thrown) {
    if (!JuristError.is(thrown, 'option-invalid')) throw thrown
    report([...place, thrown.details.option], failureOf(thrown).message.replace(`${factory}: `, ''), '')
    return undefined
  }
}

async function optionsOf(value: CommandAgentOptions & Described, directory: string): Promise<CommandAgentOptions> {
  const { stdin, promptFile, timeoutMs: _, command, ...known } = value
  const [program, ...rest] = command
  const words = await Promise.all(rest.map((argument) => placed(argument, directory)))
  // 'argument' passes no prompt if the command line has no placeholder for it.
  const through = stdin === 'prompt' ? 'stdin' : stdin === 'none' || promptFile !== undefined ? 'argument' : undefined
  return {
    ...known,
    ...(through === undefined || known.promptThrough !== undefined ? {} : { promptThrough: through }),
    command: [typeof program === 'string' ? await placed(program, directory) : program, ...words],
  }
}

/** Resolves the name of a file next to the config to its absolute path, since commands run in the workspace. */
async function placed<Word extends CommandAgentOptions['command'][number]>(
  argument: Word,
  directory: string,
): Promise<Word | string> {
  if (typeof argument !== 'string' || argument.includes('{{')) return argument
  const file = resolve(directory, argument)
  const found = await stat(file).catch(() => undefined)
  return found?.isFile() === true ? file : argument
}

function withLimits(agent: Agent, { promptFile, timeoutMs }: Described): Agent {
  return async function commandAgent(task) {
    const { workspace, signal } = task
    if (promptFile !== undefined) await workspace.write(promptFile, task.prompt)
    const most = Math.min(timeoutMs ?? Number.POSITIVE_INFINITY, task.timeoutMs ?? Number.POSITIVE_INFINITY)
    return agent({ ...task, workspace, signal, ...(Number.isFinite(most) ? { timeoutMs: most } : {}) })
  }
}
