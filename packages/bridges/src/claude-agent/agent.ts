import type { Agent, AgentTask } from '@jurist/core'
import { JuristError } from '@jurist/core'
import type { OptionRule } from '@jurist/core/internal'
import { checkOptions, failureOf, option } from '@jurist/core/internal'
import { climb } from '../coding/abort-ladder.js'
import type { CodingAgentOptions } from '../coding/coding-options.js'
import { codingRules } from '../coding/coding-options.js'
import type { CodingCall } from '../coding/coding-run.js'
import { codingRun, localRoot } from '../coding/coding-run.js'
import { lastLine, protocolFailure, startFailure } from '../coding/failures.js'
import { signalMarked } from '../coding/sweep.js'
import type { RunOutcome } from '../context/outcome.js'
import { claudeJournal } from './journal.js'
import { readClaude } from './reading.js'
import { permissionOptions, prefix, quietVariables } from './settings.js'
import type { ClaudeMessage, ClaudeOptions, ClaudeQuery } from './shape.js'

/** The SDK, and what to tell it. */
export interface ClaudeAgentOptions extends CodingAgentOptions {
  /** `query` of `@anthropic-ai/claude-agent-sdk`. */
  readonly query: ClaudeQuery
  /** Further options of `query`; they win over those of the bridge, except `cwd`, `env` and `abortController`. */
  readonly options?: ClaudeOptions
}

const rules: { readonly [name in keyof Required<ClaudeAgentOptions>]: OptionRule } = {
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
  const given = checkOptions('claudeAgent', options, rules)
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
