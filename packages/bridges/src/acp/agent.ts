import type { Agent, AgentTask } from '@jurist/core'
import { JuristError } from '@jurist/core'
import type { OptionRule } from '@jurist/core/internal'
import { checkOptions, isPlainObject, option } from '@jurist/core/internal'
import type { CodingAgentOptions } from '../coding/coding-options.js'
import { codingRules, commandRule, textsRule } from '../coding/coding-options.js'
import type { CodingCall } from '../coding/coding-run.js'
import { codingRun, localRoot } from '../coding/coding-run.js'
import type { Permit } from './permission.js'
import { permitBy } from './permission.js'
import { runAcp } from './run.js'
import type { McpServers } from './session.js'
import type { StartProcess } from './shape.js'
import { startLocally } from './start-process.js'
import type { AnswerRule } from './transcript.js'

/** The options of `acpAgent`. */
export interface AcpAgentOptions extends CodingAgentOptions {
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]]
  /** One of the agent's modes. Default: the agent's default. */
  readonly mode?: string
  /** Values of the agent's settings, by id. */
  readonly configuration?: { readonly [id: string]: string }
  /** The id of a login method. Default: no login. */
  readonly authenticate?: string
  /** Which of the agent's messages are the output. Default `last-message`. */
  readonly answer?: AnswerRule
  /** Starts the agent's process. Default: on this machine, in a process group of its own. */
  readonly start?: StartProcess
  /** The time limit for the agent's answer to `initialize`, in milliseconds. Default 60,000. */
  readonly startTimeoutMs?: number
  /** MCP servers for the agent, by name, as in `.mcp.json`. Default: none. */
  readonly mcpServers?: McpServers
  /** Decides on the agent's permission requests. Default: by `permissions`. */
  readonly permit?: Permit
}

const prefix = 'acp'

const rules: { readonly [name in keyof Required<AcpAgentOptions>]: OptionRule } = {
  ...codingRules,
  command: commandRule,
  mode: option.string,
  configuration: textsRule,
  authenticate: option.string,
  answer: option.oneOf('last-message', 'all'),
  start: option.function,
  startTimeoutMs: option.positive,
  mcpServers: {
    wants: 'an object of MCP servers by name, each with a "command" and perhaps "args" and "env"',
    holds: (value) => isPlainObject(value) && Object.values(value).every(isServer),
  },
  permit: option.function,
}

function isServer(server: unknown): boolean {
  if (!isPlainObject(server)) return false
  const { command, args = [], env = {}, ...others } = server
  return (
    option.string.holds(command) &&
    option.strings.holds(args) &&
    textsRule.holds(env) &&
    Object.keys(others).length === 0
  )
}

/**
 * A coding agent that speaks version 1 of the Agent Client Protocol on its standard streams. Permission requests are answered
 * immediately: what the permissions do not allow is refused.
 *
 * @throws `option-invalid`, also when called, for a mode that the agent does not offer; `workspace-not-local`
 *
 * @example
 * import { acpAgent } from '@jurist/bridges/acp'
 *
 * const agent = acpAgent({ command: ['claude-agent-acp'], environment: { allow: ['ANTHROPIC_API_KEY'] } })
 */
export function acpAgent(options: AcpAgentOptions): Agent {
  const given = checkOptions('acpAgent', options, rules)
  const { command, mode, configuration = {}, authenticate, startTimeoutMs = 60_000, mcpServers = {} } = given
  if (command === undefined)
    throw new JuristError(
      'option-invalid',
      'acpAgent: "command" is missing. Pass a program that speaks the protocol.',
      {
        option: 'command',
      },
    )
  const { permit = permitBy(given.permissions ?? 'workspace'), start = startLocally, answer = 'last-message' } = given
  const run = (call: CodingCall) => {
    const cwd = localRoot(call.task, 'acpAgent')
    const settings = { cwd, mode, configuration, authenticate, startTimeoutMs, model: call.model, mcpServers }
    return runAcp(call, { command, settings, permit, start, answer })
  }
  return function acpAgent(task: AgentTask) {
    return codingRun({ prefix, startedBy: 'bridge', run }, given, task)
  }
}
