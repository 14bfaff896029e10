import type { Agent } from '@jurist/core'
import { checkOptions, type OptionRule, option, optionInvalid } from '@jurist/core/internal'
import type { JudgeModel } from '@jurist/core/llm'
import { type AgentEnvironment, type CodingAgentOptions, codingRules } from '../coding/coding-options.js'
import { type CodingCall, codingAgent, localRoot } from '../coding/coding-run.js'
import { failureWithoutEnd, runSdk, structuredModel } from '../coding/sdk-run.js'
import type { RunOutcome } from '../context/outcome.js'
import type { ClaudeMessage, ClaudeQuery } from './context.js'
import { claudeJournal } from './journal.js'
import { readClaude } from './reading.js'
import { type ClaudeOptions, permissionOptions, prefix, quietVariables } from './settings.js'

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
    ...permissionOptions(permissions),
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
