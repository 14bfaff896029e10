import { type Agent, type AgentTask, JuristError } from '@jurist/core'
import { checkOptions, failureOf, type OptionRule, option } from '@jurist/core/internal'
import type { JudgeModel } from '@jurist/core/llm'
import { type AgentEnvironment, type CodingAgentOptions, codingRules } from '../coding/coding-options.js'
import { type CodingCall, codingRun, localRoot } from '../coding/coding-run.js'
import { lastLine, protocolFailure, startFailure } from '../coding/failures.js'
import { climb } from '../coding/stop-agent.js'
import { structuredModel } from '../coding/structured-model.js'
import { signalMarked } from '../coding/sweep.js'
import type { RunOutcome } from '../context/outcome.js'
import type { ClaudeMessage, ClaudeQuery } from './context.js'
import { claudeJournal } from './journal.js'
import { readClaude } from './reading.js'
import { type ClaudeOptions, permissionOptions, prefix, quietVariables } from './settings.js'

/** The SDK, and what to tell it. */
export interface ClaudeAgentOptions extends CodingAgentOptions {
  /** `query` of `@anthropic-ai/claude-agent-sdk`. */
  readonly query: ClaudeQuery
  /** Further options of `query`; they win over those of the bridge, except `cwd`, `env` and `abortController`. */
  readonly options?: ClaudeOptions
}

const agentRules: { readonly [name in keyof Required<ClaudeAgentOptions>]: OptionRule } = {
  ...codingRules,
  query: option.function,
  options: option.record,
}

/**
 * Claude through its Agent SDK, in a local workspace: without the user's settings, servers and sessions.
 *
 * @throws `option-invalid`; when called, `workspace-not-local`
 *
 * @example
 * import { query } from '@anthropic-ai/claude-agent-sdk'
 *
 * const agent = claudeAgent({ query, environment: { allow: ['ANTHROPIC_API_KEY'] } })
 */
export function claudeAgent(options: ClaudeAgentOptions): Agent {
  const given = checkOptions('claudeAgent', options, agentRules)
  const { query, permissions = 'workspace' } = given
  if (query === undefined)
    throw new JuristError('option-invalid', 'claudeAgent: give "query" of @anthropic-ai/claude-agent-sdk.', {
      option: 'query',
    })
  const bridge = {
    prefix,
    startedBy: 'bridge',
    keyVariable: 'ANTHROPIC_API_KEY',
    quiet: (home: string | undefined) => quietVariables(permissions, home),
    run: (call: CodingCall) => runQuery(call, given),
  } as const
  return function claudeAgent(task: AgentTask) {
    return codingRun(bridge, given, task)
  }
}

/** What was heard of one `query`. */
interface Heard {
  readonly messages: ClaudeMessage[]
  stderr: string
  /** What it threw at the end. */
  thrown?: unknown
}

async function runQuery(call: CodingCall, given: ClaudeAgentOptions): Promise<RunOutcome> {
  const { task, graceMs, marker, write } = call
  const cwd = localRoot(task, 'claudeAgent')
  const controller = new AbortController()
  const heard: Heard = { messages: [], stderr: '' }
  const options = queryOptions(call, given, { cwd, controller, heard })
  write({ type: 'prompt', text: task.prompt })
  // What the SDK is handed is built here; the door's type test holds it against the real function.
  const query = given.query as (input: object) => AsyncIterable<ClaudeMessage>
  await climb(listened(query({ prompt: task.prompt, options }), heard, call, cwd), {
    signal: task.signal,
    graceMs,
    cancel: () => {
      write({ type: 'state', state: 'cancelling' })
      controller.abort()
    },
    terminate: () => signalMarked(marker, 'SIGTERM'),
    kill: () => signalMarked(marker, 'SIGKILL'),
  })
  const outcome = readClaude(heard.messages, cwd)
  if (heard.messages.some(({ type }) => type === 'result')) return outcome
  return { ...outcome, status: 'failed', failure: failureWithoutResult(heard) }
}

interface Session {
  readonly cwd: string
  readonly controller: AbortController
  readonly heard: Heard
}

const maxErrors = 65_536

function queryOptions(
  { task, model, environment }: CodingCall,
  { permissions = 'workspace', options = {} }: ClaudeAgentOptions,
  { cwd, controller, heard }: Session,
): ClaudeOptions {
  const { systemPrompt } = task
  return {
    settingSources: [],
    strictMcpConfig: true,
    persistSession: false,
    permissionPrompts: 'none',
    ...permissionOptions(permissions),
    ...(model === undefined ? {} : { model }),
    ...(systemPrompt === undefined
      ? {}
      : { systemPrompt: { type: 'preset', preset: 'claude_code', append: systemPrompt } }),
    stderr: (text: string) => {
      heard.stderr = (heard.stderr + text).slice(-maxErrors)
    },
    ...options,
    cwd,
    env: environment,
    abortController: controller,
  }
}

/** Every error result is followed by a throw; which of both counts is decided at the end. */
async function listened(
  stream: AsyncIterable<ClaudeMessage>,
  heard: Heard,
  { write }: CodingCall,
  root: string,
): Promise<void> {
  const journal = claudeJournal(write, root)
  try {
    for await (const message of stream) {
      heard.messages.push(message)
      journal.tell(message)
    }
  } catch (thrown) {
    heard.thrown = thrown
  } finally {
    journal.finish()
  }
}

function failureWithoutResult({ thrown, stderr }: Heard) {
  if (thrown === undefined) return protocolFailure('it ended without a result', lastLine(stderr))
  const { message, code } = failureOf(thrown)
  if (code === 'ENOENT') return startFailure('Claude Code', message)
  return protocolFailure(`it ended without a result (${message})`, lastLine(stderr))
}

/** The SDK as a model. */
export interface ClaudeModelOptions {
  /** `query` of `@anthropic-ai/claude-agent-sdk`. */
  readonly query: ClaudeQuery
  readonly model?: string
  /** Further options of `query`. */
  readonly options?: ClaudeOptions
  /** Names of host variables to hand on, such as `ANTHROPIC_API_KEY`; `home: 'host'` for your own login. */
  readonly environment?: AgentEnvironment
}

const modelRules: { readonly [name in keyof Required<ClaudeModelOptions>]: OptionRule } = {
  query: option.function,
  model: option.string,
  options: option.record,
  environment: option.record,
}

/**
 * Claude as a model through its Agent SDK, for judges that ask one: it may only look, in an empty directory. A schema is
 * kept by the SDK.
 *
 * @throws `option-invalid`; a call rejects when the run does not complete
 *
 * @example
 * const model = claudeModel({ query, model: 'claude-haiku-4-5', environment: { allow: ['ANTHROPIC_API_KEY'] } })
 */
export function claudeModel(options: ClaudeModelOptions): JudgeModel {
  const { options: more = {}, ...given } = checkOptions('claudeModel', options, modelRules)
  const agentFor = (own: ClaudeOptions) =>
    claudeAgent({ ...given, permissions: 'read-only', options: { tools: [], ...more, ...own } })
  agentFor({})
  return structuredModel((schema) =>
    agentFor(schema === undefined ? {} : { outputFormat: { type: 'json_schema', schema } }),
  )
}
