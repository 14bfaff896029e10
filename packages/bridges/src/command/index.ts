/**
 * Any program as an agent. The workspace runs it, locally or in its sandbox; the prompt never becomes an option of the program
 * and never passes through a shell.
 *
 * @example
 * import { commandAgent, commands } from '@jurist/bridges/command'
 *
 * const mine = commandAgent({ command: ['my-agent', '--task={{prompt}}'], read: 'json' })
 * const gemini = commands.gemini({ permissions: 'full', environment: { allow: ['GEMINI_API_KEY'] } })
 */
import '../errors.js'

export type { AgentEnvironment, CodingAgentOptions, Permissions } from '../coding/coding-options.js'
export {
  type CommandAgentOptions,
  type CommandArgument,
  type CommandModelOptions,
  type Commands,
  type CommandTemplate,
  type CommandVariable,
  commandAgent,
  commandModel,
  commands,
} from './agent.js'
export type { CommandReading, Read } from './reading.js'
