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
import type { BridgeKeys } from '../context/run-facts.js'
import { keysOf } from '../context/run-facts.js'
import { prefix } from './agent.js'

export type { AgentEnvironment, CodingAgentOptions, Permissions } from '../coding/coding-options.js'
export type { Prices } from '../context/cost.js'
export { type CommandAgentOptions, type CommandModelOptions, commandAgent, commandModel } from './agent.js'
export type { Argument, CommandLine, CommandVariable } from './arguments.js'
export { type Commands, commands } from './presets.js'
export type { CommandReading, Read } from './reading.js'

/** The metadata keys of what `commandAgent` gives; `exitCode` is that of the program. */
export const commandKeys: BridgeKeys<'command', 'exitCode'> = keysOf(prefix, 'exitCode')
