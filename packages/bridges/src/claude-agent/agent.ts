import type { Agent } from '@jurist/core'
import { checkOptions, type OptionRule, option, optionInvalid } from '@jurist/core/internal'
import type { JudgeModel } from '@jurist/core/llm'
import { type AgentEnvironment, type CodingAgentOptions, codingRules } from '../coding/coding-options.js'
import { type CodingCall, codingAgent, localRoot } from '../coding/coding-run.js'
import { failureWithoutEnd, runSdk, structuredModel } from '../coding/sdk-run.js'
import type { RunOutcome } from '../context/outcome.js'
import { bridgeOf, type ContextFrom, type Evaluate, type Observe } from '../run/bridge.js'
import { claudeJournal, readClaude } from './reading.js'
import { type ClaudeOptions, permissionOptions, prefix, quietVariables } from './settings.js'

/** A message of the SDK's `query`. Its other fields are read at run time and may be missing or malformed. */
export interface ClaudeMessage {
  readonly type: string
  readonly subtype?: string
}

/** `query` of the Claude Agent SDK. The bridge builds `{ prompt, options }`. */
export type ClaudeQuery = (input: never) => AsyncIterable<ClaudeMessage>

/** The messages of one run in order, or the result message alone. */
export type ClaudeRun = readonly ClaudeMessage[] | ClaudeMessage

const bridge = bridgeOf<ClaudeRun>({
  name: 'ClaudeAgent',
  prefix,
  read: (run, { workspace }) => readClaude(run, workspace?.root),
})

/**
 * Creates a context from the messages of one `query`, or from its result message. Tools are known only from all
 * messages.
 *
 * @throws `option-invalid` or `metadata-reserved` for invalid extras, never for malformed messages
 *
 * @example
 * import { query } from '@anthropic-ai/claude-agent-sdk'
 * import { contextFromClaudeAgent } from '@jurist/bridges/claude-agent'
 *
 * const messages = []
 * for await (const message of query({ prompt: 'Say hello' })) messages.push(message)
 * const context = contextFromClaudeAgent(messages, { goal: 'Say hello' })
 */
export const contextFromClaudeAgent: ContextFrom<ClaudeRun> = bridge.contextFrom

/**
 * Runs a `query` once and returns a context, also when it fails. The run must return its messages.
 *
 * @example
 * import { query } from '@anthropic-ai/claude-agent-sdk'
 * import { observeClaudeAgent } from '@jurist/bridges/claude-agent'
 *
 * const run = async () => {
 *   const messages = []
 *   for await (const message of query({ prompt: 'Say hello' })) messages.push(message)
 *   return messages
 * }
 * const { context, result } = await observeClaudeAgent(run, { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const observeClaudeAgent: Observe<ClaudeRun> = bridge.observe

/**
 * Runs a `query` once and judges the result, also when it fails. The run must return its messages.
 *
 * @example
 * import { query } from '@anthropic-ai/claude-agent-sdk'
 * import { evaluateClaudeAgent } from '@jurist/bridges/claude-agent'
 * import { outputText } from '@jurist/core'
 *
 * const run = async () => {
 *   const messages = []
 *   for await (const message of query({ prompt: 'Say hello' })) messages.push(message)
 *   return messages
 * }
 * await evaluateClaudeAgent(run, outputText({ contains: 'hello' }), { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const evaluateClaudeAgent: Evaluate<ClaudeRun> = bridge.evaluate

/** The options of `claudeAgent`. */
export interface ClaudeAgentOptions extends CodingAgentOptions {
  /** `query` of `@anthropic-ai/claude-agent-sdk`. */
  readonly query: ClaudeQuery
  /** Further options of `query`; they override those of the bridge, except `cwd`, `env` and `abortController`. */
  readonly options?: ClaudeOptions
}

const agentRules: { readonly [name in keyof Required<ClaudeAgentOptions>]: OptionRule } = {
  ...codingRules,
  query: option.function,
  options: option.record,
}

/**
 * Creates an agent that runs Claude through its Agent SDK, in a local workspace, without the user's settings, MCP
 * servers and sessions.
 *
 * @throws `option-invalid`; when called, `workspace-not-local`
 *
 * @example
 * import { query } from '@anthropic-ai/claude-agent-sdk'
 * import { claudeAgent } from '@jurist/bridges/claude-agent'
 *
 * const agent = claudeAgent({ query, environment: { allow: ['ANTHROPIC_API_KEY'] } })
 */
export function claudeAgent(options: ClaudeAgentOptions): Agent {
  const given = checkOptions('claudeAgent', options, agentRules)
  const { query, permissions = 'workspace' } = given
  if (query === undefined)
    optionInvalid('query', 'claudeAgent: "query" is missing. Pass `query` of @anthropic-ai/claude-agent-sdk.')
  const bridge = {
    prefix,
    startedBy: 'bridge',
    keyVariable: 'ANTHROPIC_API_KEY',
    quiet: (home: string | undefined) => quietVariables(permissions, home),
    run: (call: CodingCall) => runQuery(call, given),
  } as const
  return codingAgent('claudeAgent', bridge, given)
}

async function runQuery(call: CodingCall, given: ClaudeAgentOptions): Promise<RunOutcome> {
  const { task, write } = call
  const cwd = localRoot(task, 'claudeAgent')
  const journal = claudeJournal(write, cwd)
  const stderr = { text: '' }
  // The SDK's types are not imported; a type test compares these options with those of the real function.
  const query = given.query as (input: object) => AsyncIterable<ClaudeMessage>
  write({ type: 'prompt', text: task.prompt })
  const run = await runSdk(call, {
    name: 'Claude Code',
    start: (abortController) => {
      const options = { ...queryOptions(call, given, stderr), cwd, env: call.environment, abortController }
      return query({ prompt: task.prompt, options })
    },
    received: (message) => journal.record(message),
    ended: () => journal.finish(),
  })
  const outcome = readClaude(run.messages, cwd)
  if (run.messages.some(({ type }) => type === 'result')) return outcome
  const failure = failureWithoutEnd('Claude Code', run, 'it ended without a result', stderr.text)
  return { ...outcome, status: 'failed', failure }
}

const maxErrors = 65_536

/** The caller's options override those of the bridge. */
function queryOptions(
  { task: { systemPrompt }, model }: CodingCall,
  { permissions = 'workspace', options = {} }: ClaudeAgentOptions,
  stderr: { text: string },
): ClaudeOptions {
  return {
    settingSources: [],
    strictMcpConfig: true,
    persistSession: false,
    permissionPrompts: 'none',
    ...permissionOptions[permissions],
    ...(model === undefined ? {} : { model }),
    ...(systemPrompt === undefined
      ? {}
      : { systemPrompt: { type: 'preset', preset: 'claude_code', append: systemPrompt } }),
    stderr: (text: string) => {
      stderr.text = (stderr.text + text).slice(-maxErrors)
    },
    ...options,
  }
}

/** The options of `claudeModel`. */
export interface ClaudeModelOptions {
  /** `query` of `@anthropic-ai/claude-agent-sdk`. */
  readonly query: ClaudeQuery
  /** Default: the agent's default. */
  readonly model?: string
  /** Further options of `query`. */
  readonly options?: ClaudeOptions
  /** The host variables to pass on, such as `ANTHROPIC_API_KEY`; `home: 'host'` uses your own login. */
  readonly environment?: AgentEnvironment
}

const modelRules: { readonly [name in keyof Required<ClaudeModelOptions>]: OptionRule } = {
  query: option.function,
  model: option.string,
  options: option.record,
  environment: option.record,
}

/**
 * Creates a model that runs Claude through its Agent SDK, for judges. It runs without tools in an empty directory. The
 * SDK enforces response schemas.
 *
 * @throws `option-invalid`; a call rejects when the run does not complete
 *
 * @example
 * import { query } from '@anthropic-ai/claude-agent-sdk'
 * import { claudeModel } from '@jurist/bridges/claude-agent'
 *
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
