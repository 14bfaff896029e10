import '../errors.js'
import { type Agent, type Failure, JuristError } from '@jurist/core'
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
import { pause } from '@jurist/kit/retry-pause'
import { type CodingAgentOptions, codingRules, commandRule } from '../coding/coding-options.js'
import { type CodingCall, codingAgent, inlinedPrompt, localRoot } from '../coding/coding-run.js'
import { endFailure, lastLine, loginRemedy, startError, withLastWords, withLoginRemedy } from '../coding/failures.js'
import { untilStopped } from '../coding/stop-agent.js'
import { type RunOutcome, textOutcome } from '../context/outcome.js'
import { readSafely } from '../context/safe-reader.js'
import { toJson } from '../context/to-json.js'
import { added, consistentUsage } from '../context/usage.js'
import { thrownOutcome } from '../run/classify-error.js'
import { withinGrace } from '../run/deadline.js'
import { textWithoutSecrets } from '../run/secrets.js'
import { type RpcConnection, RpcError, rpcConnection } from './json-rpc.js'
import { type Permit, permissionAnswer, permitBy } from './permission.js'
import { type AgentInfo, type McpServers, openSession, type Session, type SessionSettings } from './session.js'
import type { AcpPermissionOption, StartedProcess, StartProcess } from './shape.js'
import { type AnswerRule, asUpdate, executionsOf, nameOfTool, type Transcript, transcriptFor } from './transcript.js'

interface AcpRun {
  readonly command: readonly [string, ...string[]]
  readonly settings: SessionSettings
  readonly permit: Permit
  readonly start: StartProcess
  readonly answer: AnswerRule
}

const endMs = 2_000
/** How long to wait for the last output of a process that has ended, in milliseconds. */
const wordsMs = 200
const maxErrors = 65_536
const maxNoise = 200

/** Ends the process in any case. */
async function runAcp(call: CodingCall, run: AcpRun): Promise<RunOutcome> {
  const { task, graceMs, write } = call
  const { cwd } = run.settings
  const agent = await startedAgent(call, run)
  const errors = lastErrors(agent, call.secrets)
  const transcript = transcriptFor(write, cwd)
  const connection = connect(call, run, agent, transcript, errors)
  const conversation = converse(call, run, connection, transcript)
  let broken: { readonly thrown: unknown } | undefined
  try {
    await untilStopped(conversation.ended, {
      signal: task.signal,
      graceMs,
      cancel: () => {
        write({ type: 'state', state: 'cancelling' })
        conversation.cancel()
      },
      terminate: () => agent.kill('SIGTERM'),
      kill: () => agent.kill('SIGKILL'),
    })
  } catch (thrown) {
    broken = { thrown }
  }
  await endProcess(connection, agent)
  transcript.finish()
  const said = errors.text()
  if (said.trim() !== '') write({ type: 'custom', name: 'acp.stderr', data: said })
  const outcome = readAcp({ transcript, root: cwd, rule: run.answer, ...conversation.received })
  return broken === undefined
    ? outcome
    : { ...outcome, ...brokenOff(broken.thrown, call, conversation.received.info, said) }
}

/** A process that starts after the abort is killed immediately. */
async function startedAgent(
  { task, environment }: CodingCall,
  { command, start, settings }: AcpRun,
): Promise<StartedProcess> {
  const starting = start(command, { cwd: settings.cwd, environment })
  try {
    return await withinGrace(starting, task.signal, 0)
  } catch (thrown) {
    if (task.signal.aborted)
      starting.then(
        (late) => late.kill('SIGKILL'),
        () => {},
      )
    throw thrown
  }
}

/** A mistake of the caller is thrown again. */
function brokenOff(
  thrown: unknown,
  { task }: CodingCall,
  info: AgentInfo | undefined,
  said: string,
): Pick<RunOutcome, 'status' | 'failure'> {
  if (JuristError.is(thrown, 'option-invalid')) throw thrown
  const { status, failure } = thrownOutcome(thrown, task.signal)
  if (status !== 'failed') return { status, failure }
  if (thrown instanceof RpcError && thrown.rpcCode === loginNeeded)
    return { status, failure: loginFailure(info, lastLine(said)) }
  return { status, failure: withLoginRemedy(withLastWords(failure, lastLine(said))) }
}

const loginNeeded = -32_000

function loginFailure(info: AgentInfo | undefined, words: string): Failure {
  const methods = info?.loginMethods ?? []
  const offered = methods.length === 0 ? 'It offers no login method.' : `It offers: ${methods.join(', ')}.`
  const last = words === '' ? '' : ` Its last output: ${words}`
  return endFailure(
    'http-401',
    `it has no login. ${offered}${last} Pass a method as "authenticate", or: ${loginRemedy()}`,
    true,
  )
}

interface Conversation {
  readonly ended: Promise<void>
  cancel(): void
  readonly received: { readonly info?: AgentInfo; readonly session?: Session; readonly answer?: unknown }
}

function converse(
  call: CodingCall,
  { settings }: AcpRun,
  connection: RpcConnection,
  transcript: Transcript,
): Conversation {
  const received: { info?: AgentInfo; session?: Session; answer?: unknown } = {}
  const conversation = async () => {
    const session = await openSession(connection, settings, transcript.warnings, (info) => {
      received.info = info
    })
    received.session = session
    const { sessionId } = session
    call.write({ type: 'state', state: 'session' })
    if (call.task.signal.aborted) return
    const text = inlinedPrompt(call)
    call.write({ type: 'prompt', text })
    received.answer = await connection.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
    transcript.finish()
    writeModelCall(call, session, received.answer)
  }
  return {
    ended: conversation(),
    cancel: () => received.session && connection.notify('session/cancel', { sessionId: received.session.sessionId }),
    received,
  }
}

/** The protocol reports the tokens of a whole prompt, not of each response. */
function writeModelCall({ write }: CodingCall, { model = 'unknown' }: Session, answer: unknown): void {
  const { stopReason } = (answer ?? {}) as { readonly stopReason?: unknown }
  write({ type: 'model-call', model, ...(typeof stopReason === 'string' ? { finishReason: stopReason } : {}) })
}

function connect(
  call: CodingCall,
  { permit }: AcpRun,
  agent: StartedProcess,
  transcript: Transcript,
  errors: LastErrors,
): RpcConnection {
  const { task, write, warnings, secrets } = call
  const ask = async ({ toolCall, options = [] }: Question) => {
    const tool = transcript.asked(toolCall)
    if (task.signal.aborted) return { outcome: { outcome: 'cancelled' } }
    const decide = async () => permit({ toolCall: asUpdate(tool), options }, task)
    const decision = await withinGrace(decide(), task.signal, 0).catch((thrown: unknown) => {
      if (task.signal.aborted) return null
      throw thrown
    })
    if (task.signal.aborted) return { outcome: { outcome: 'cancelled' } }
    const { outcome, isDenied } = permissionAnswer(decision, options)
    if (isDenied) transcript.denied(transcript.tools.get(tool.id) ?? tool)
    return { outcome }
  }
  return rpcConnection(agent, {
    notified: (method, params) => method === 'session/update' && transcript.update(params),
    requested: (method, params) =>
      method === 'session/request_permission' ? ask((params ?? {}) as Question) : undefined,
    noise: (line) => {
      if (!warnings.includes('output-not-json')) warnings.push('output-not-json')
      write({ type: 'custom', name: 'acp.noise', data: textWithoutSecrets(line, secrets).slice(0, maxNoise) })
    },
    lastWords: async () => {
      await Promise.race([errors.ended, agent.ended.then(() => pause(wordsMs)), pause(endMs)])
      return lastLine(errors.text())
    },
  })
}

interface Question {
  readonly toolCall?: unknown
  readonly options?: readonly AcpPermissionOption[]
}

interface LastErrors {
  readonly ended: Promise<void>
  text(): string
}

/** Keeps the last 64 KiB. */
function lastErrors({ errors }: StartedProcess, secrets: readonly string[]): LastErrors {
  let text = ''
  const listen = async () => {
    const decoder = new TextDecoder()
    const reader = errors.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text = textWithoutSecrets(text + decoder.decode(value, { stream: true }), secrets).slice(-maxErrors)
    }
  }
  return { ended: listen().catch(() => {}), text: () => text }
}

/** Closing its input should end the agent; it is killed if that does not. */
async function endProcess(connection: RpcConnection, agent: StartedProcess): Promise<void> {
  connection.close()
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const hasEnded = await Promise.race([agent.ended.then(() => true), pause(endMs).then(() => false)])
    if (hasEnded) break
    agent.kill(signal)
  }
  // Children in the process group may outlive the agent.
  agent.kill('SIGKILL')
  await Promise.race([agent.ended, pause(endMs)])
}

interface Received {
  readonly transcript: Transcript
  readonly root: string
  readonly rule: AnswerRule
  readonly info?: AgentInfo
  readonly session?: Session
  /** The response to the prompt; absent if there was none. */
  readonly answer?: unknown
}

/** Without a response to the prompt the status is `unknown`. */
function readAcp({ transcript, root, rule, info, session, answer }: Received): RunOutcome {
  const { warnings, tools, denials } = transcript
  const { costUsd, contextTokens } = transcript.figures
  const reader = readSafely(answer, warnings)
  const finishReason = reader.get('stopReason').string()
  const usage = reader.get('usage')
  return {
    ...endingOf(finishReason),
    output: textOutcome(transcript.answer(rule)),
    facts: {
      model: session?.model,
      sessionId: session?.sessionId,
      frameworkVersion: info?.frameworkVersion,
      finishReason,
      ...(finishReason === 'max_tokens' ? { truncated: true as const } : {}),
      usage: consistentUsage(
        {
          inputTokens: added(usage.get('inputTokens'), usage.get('cachedReadTokens'), usage.get('cachedWriteTokens')),
          cacheReadTokens: usage.get('cachedReadTokens').value,
          cacheWriteTokens: usage.get('cachedWriteTokens').value,
          outputTokens: added(usage.get('outputTokens'), usage.get('thoughtTokens')),
          reasoningTokens: usage.get('thoughtTokens').value,
          totalTokens: usage.get('totalTokens').value,
        },
        warnings,
      ),
      usageReported: usage.present ? toJson(usage.value) : undefined,
      ...(costUsd === undefined ? {} : { costUsd, costBasis: 'reported' as const }),
      toolExecutions: executionsOf(tools.values(), root, warnings),
      permissionDenials: denials.map((state) => ({ tool: nameOfTool(state), id: state.id })),
      warnings,
    },
    own: { contextTokens },
  }
}

function endingOf(reason: string | undefined): Pick<RunOutcome, 'status' | 'failure'> {
  switch (reason) {
    case 'end_turn':
    case 'max_tokens':
      return { status: 'success' }
    case 'max_turn_requests':
      return { status: 'failed', failure: endFailure('max-turns', 'it reached its limit of turns') }
    case 'refusal':
      return { status: 'refused' }
    case 'cancelled':
      return { status: 'failed', failure: endFailure('cancelled-by-agent', 'it stopped by itself') }
    default:
      return { status: 'unknown' }
  }
}

/** A separate process group lets the bridge end the agent with its children. */
const startLocally: StartProcess = async (command, { cwd, environment }) => {
  const { spawn } = await import('node:child_process')
  const { Readable, Writable } = await import('node:stream')
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
    throw startError(program, failureOf(thrown).code ?? failureOf(thrown).message, thrown)
  }
  return {
    input: Writable.toWeb(child.stdin),
    output: Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    errors: Readable.toWeb(child.stderr) as ReadableStream<Uint8Array>,
    ended,
    kill: (signal) => void (child.pid !== undefined && signalGroup(child.pid, signal)),
  }
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
