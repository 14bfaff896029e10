/**
 * Any program as an agent: run by the workspace, wherever that runs, its prompt never an option and never in a shell.
 *
 * @example
 * import { commandAgent, commands } from '@jurist/bridges/command'
 *
 * const mine = commandAgent({ command: ['my-agent', '--task={{prompt}}'], read: 'json' })
 * const gemini = commands.gemini({ permissions: 'full', environment: { allow: ['GEMINI_API_KEY'] } })
 */
import '../errors.js'
import type { BridgeKeys } from '../context/keys.js'
import { keysOf } from '../context/keys.js'
import { prefix } from './agent.js'

export type { AgentEnvironment, CodingAgentOptions, Permissions } from '../coding/coding-options.js'
export type { Prices } from '../context/cost.js'
export { type CommandAgentOptions, commandAgent } from './agent.js'
export type { Argument, CommandLine, CommandVariable } from './argv.js'
export { type CommandModelOptions, commandModel } from './model.js'
export type { CommandReading, Read } from './reading.js'
export { type Commands, commands } from './ready.js'

/** The metadata keys of what `commandAgent` gives; `exitCode` is that of the program. */
export const commandKeys: BridgeKeys<'command', 'exitCode'> = keysOf(prefix, 'exitCode')
