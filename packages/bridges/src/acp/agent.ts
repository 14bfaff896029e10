import type { Readable, Writable } from 'node:stream'
import { type Agent, JuristError } from '@jurist/core'
import {
  checkOptions,
  failureOf,
  namedStrings,
  type OptionRule,
  objectOf,
  option,
  optionInvalid,
  recordOf,
} from '@jurist/core/internal'
import '../errors.js'
import { type CodingAgentOptions, codingRules, commandRule } from '../coding/coding-options.js'
import { type CodingCall, codingAgent, localRoot } from '../coding/coding-run.js'
import { type Permit, permitBy } from './permission.js'
import { runAcp } from './run.js'
import type { McpServers } from './session.js'
import type { StartedProcess, StartProcess } from './shape.js'
import type { AnswerRule } from './transcript.js'

/** A separate process group lets the bridge end the agent with its children. */
const startLocally: StartProcess = async (command, { cwd, environment }) => {
  const { spawn } = await import('node:child_process')
  const { signalGroup } = await import('@jurist/kit/processes')
  const [program, ...args] = command
  const child = spawn(program, args, { cwd, env: environment, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  const ended = new Promise<Awaited<StartedProcess['ended']>>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
    child.once('error', () => resolve({ exitCode: null, signal: null }))
  })
  try {
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  } catch (thrown) {
    const reason = failureOf(thrown).code ?? failureOf(thrown).message
    const message = `${program} could not be started (${reason}). Install it, or pass its full path as "command".`
    throw new JuristError('agent-start', message, { command: program }, { cause: thrown })
  }
  return {
    input: writableOf(child.stdin),
    output: readableOf(child.stdout),
    errors: readableOf(child.stderr),
    ended,
    kill: (signal) => void (child.pid !== undefined && signalGroup(child.pid, signal)),
  }
}

/** Node's own conversion causes an unhandled rejection when a process is killed; this stream just ends. */
function readableOf(stream: Readable): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      let isOpen = true
      const close = () => {
        if (isOpen) controller.close()
        isOpen = false
      }
      stream.on('data', (chunk: Uint8Array) => {
        if (isOpen) controller.enqueue(chunk)
      })
      stream.once('end', close)
      stream.once('close', close)
      stream.once('error', close)
    },
    cancel: () => {
      stream.destroy()
    },
  })
}

function writableOf(stream: Writable): WritableStream<Uint8Array> {
  // The end of its output shows that a process has ended.
  stream.on('error', () => {})
  return new WritableStream<Uint8Array>({
    write: (chunk) =>
      new Promise((resolve) => {
        stream.write(chunk, () => resolve())
      }),
    close: () => {
      stream.end()
    },
    abort: () => {
      stream.destroy()
    },
  })
}

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
  /** Starts the agent's process. Default: on this machine, in a separate process group. */
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
  configuration: namedStrings,
  authenticate: option.string,
  answer: option.oneOf('last-message', 'all'),
  start: option.function,
  startTimeoutMs: option.positive,
  mcpServers: recordOf(
    'an object of MCP servers by name, each with a "command" and perhaps "args" and "env"',
    objectOf('a server', { command: option.string, args: option.strings, env: namedStrings }, ['args', 'env']),
  ),
  permit: option.function,
}

/**
 * Creates an agent from a program that speaks version 1 of the Agent Client Protocol on its standard streams.
 * Permission requests are answered immediately: what the permissions do not allow is refused.
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
    optionInvalid('command', 'acpAgent: "command" is missing. Pass a program that speaks the protocol.')
  const { permit = permitBy(given.permissions ?? 'workspace'), start = startLocally, answer = 'last-message' } = given
  const run = (call: CodingCall) => {
    const cwd = localRoot(call.task, 'acpAgent')
    const settings = { cwd, mode, configuration, authenticate, startTimeoutMs, model: call.model, mcpServers }
    return runAcp(call, { command, settings, permit, start, answer })
  }
  return codingAgent('acpAgent', { prefix, startedBy: 'bridge', run }, given)
}
