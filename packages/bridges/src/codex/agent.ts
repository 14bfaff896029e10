import type { Agent } from '@jurist/core'
import { checkOptions, type OptionRule, option, optionInvalid } from '@jurist/core/internal'
import type { JudgeModel } from '@jurist/core/llm'
import {
  type AgentEnvironment,
  type CodingAgentOptions,
  codingRules,
  type Permissions,
} from '../coding/coding-options.js'
import { type CodingCall, codingAgent, inlinedPrompt, localRoot } from '../coding/coding-run.js'
import type { Variables } from '../coding/environment.js'
import { failureWithoutEnd, runSdk, structuredModel } from '../coding/sdk-run.js'
import type { RunOutcome } from '../context/outcome.js'
import { bridgeOf, type ContextFrom, type Evaluate, type Observe } from '../run/bridge.js'
import { codexJournal, readCodex } from './reading.js'

/** The options of a thread that the bridge sets. */
export interface CodexThreadOptions {
  model?: string
  sandboxMode?: 'read-only' | 'workspace-write' | 'danger-full-access'
  workingDirectory?: string
  skipGitRepoCheck?: boolean
  approvalPolicy?: 'never' | 'on-request' | 'on-failure' | 'untrusted'
  webSearchMode?: 'disabled' | 'cached' | 'live'
}

/** An event of a turn. Its other fields are read at run time and may be missing or malformed. */
export interface CodexEvent {
  readonly type: string
}

/** The part of `Codex` that the bridge uses. */
export interface CodexClient {
  startThread(options?: CodexThreadOptions): {
    runStreamed(
      input: string,
      options?: { signal?: AbortSignal; outputSchema?: unknown },
    ): Promise<{ readonly events: AsyncIterable<CodexEvent> }>
  }
}

/** The result of `thread.run`; every field may be missing or malformed. */
export interface CodexTurn {
  readonly items?: readonly object[] | undefined
  readonly finalResponse?: string | undefined
  readonly usage?: object | null | undefined
}

/** The events of one turn in order, or the result of `thread.run`. */
export type CodexRun = readonly CodexEvent[] | CodexTurn

export const prefix = 'codex'

const bridge = bridgeOf<CodexRun>({
  name: 'Codex',
  prefix,
  read: (run, { workspace }) => readCodex(run, workspace?.root),
})

/**
 * Creates a context from the result of `thread.run`, or from the events of `thread.runStreamed`.
 *
 * @throws `option-invalid` or `metadata-reserved` for invalid extras, never for a malformed turn
 *
 * @example
 * import { contextFromCodex } from '@jurist/bridges/codex'
 * import { Codex } from '@openai/codex-sdk'
 *
 * const turn = await new Codex().startThread().run('Say hello')
 * const context = contextFromCodex(turn, { goal: 'Say hello' })
 */
export const contextFromCodex: ContextFrom<CodexRun> = bridge.contextFrom

/**
 * Runs a turn once and returns a context, also when it fails.
 *
 * @example
 * import { observeCodex } from '@jurist/bridges/codex'
 * import { Codex } from '@openai/codex-sdk'
 *
 * const run = (signal: AbortSignal) => new Codex().startThread().run('Say hello', { signal })
 * const { context, result } = await observeCodex(run, { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const observeCodex: Observe<CodexRun> = bridge.observe

/**
 * Runs a turn once and judges the result, also when it fails.
 *
 * @example
 * import { evaluateCodex } from '@jurist/bridges/codex'
 * import { outputText } from '@jurist/core'
 * import { Codex } from '@openai/codex-sdk'
 *
 * const run = (signal: AbortSignal) => new Codex().startThread().run('Say hello', { signal })
 * await evaluateCodex(run, outputText({ contains: 'hello' }), { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const evaluateCodex: Evaluate<CodexRun> = bridge.evaluate

export const sandboxModes: { readonly [permissions in Permissions]: NonNullable<CodexThreadOptions['sandboxMode']> } = {
  'read-only': 'read-only',
  workspace: 'workspace-write',
  full: 'danger-full-access',
}

/** The options of `codexAgent`. */
export interface CodexAgentOptions extends CodingAgentOptions {
  /** Makes a client. It must pass this environment, and nothing else, to its processes. */
  readonly codex: (environment: Record<string, string>) => CodexClient
  /** Further options of the thread; they override those of the bridge, except `workingDirectory` and `approvalPolicy`. */
  readonly thread?: Partial<CodexThreadOptions>
}

const agentRules: { readonly [name in keyof Required<CodexAgentOptions>]: OptionRule } = {
  ...codingRules,
  codex: option.function,
  thread: option.record,
}

/**
 * Creates an agent that runs Codex through its SDK, in a local workspace. There are no approvals: what its sandbox does
 * not allow fails.
 *
 * @throws `option-invalid`; when called, `workspace-not-local`
 *
 * @example
 * import { codexAgent } from '@jurist/bridges/codex'
 * import { Codex } from '@openai/codex-sdk'
 *
 * const agent = codexAgent({ codex: (env) => new Codex({ env }), environment: { allow: ['CODEX_API_KEY'] } })
 */
export function codexAgent(options: CodexAgentOptions): Agent {
  const given = checkOptions('codexAgent', options, agentRules)
  if (given.codex === undefined)
    optionInvalid('codex', 'codexAgent: "codex" is missing. Pass a function that makes a Codex of @openai/codex-sdk.')
  return codexWith(given)
}

/** @param outputSchema the JSON Schema of the answer. Default: the answer is text */
function codexWith(options: CodexAgentOptions, outputSchema?: unknown): Agent {
  const quiet = (home: string | undefined): Variables => (home === undefined ? {} : { CODEX_HOME: home })
  const run = (call: CodingCall) => runThread(call, options, outputSchema)
  return codingAgent('codexAgent', { prefix, startedBy: 'bridge', keyVariable: 'CODEX_API_KEY', quiet, run }, options)
}

async function runThread(call: CodingCall, given: CodexAgentOptions, outputSchema: unknown): Promise<RunOutcome> {
  const { task, environment, model, write } = call
  const { codex, permissions = 'workspace', thread: own = {} } = given
  const workingDirectory = localRoot(task, 'codexAgent')
  const thread = codex({ ...environment }).startThread({
    skipGitRepoCheck: true,
    webSearchMode: 'disabled',
    sandboxMode: sandboxModes[permissions],
    model,
    ...own,
    // There is no user who could approve anything.
    approvalPolicy: 'never',
    workingDirectory,
  })
  const text = inlinedPrompt(call)
  write({ type: 'prompt', text })
  const run = await runSdk(call, {
    name: 'Codex',
    start: async ({ signal }) => {
      const options = { signal, outputSchema }
      return (await thread.runStreamed(text, options)).events
    },
    received: codexJournal(write, task.workspace.root, model),
  })
  const outcome = readCodex(run.messages, workingDirectory)
  if (outcome.status !== 'unknown') return outcome
  const failure = failureWithoutEnd('Codex', run, 'it ended before the turn was complete')
  return { ...outcome, status: 'failed', failure }
}

/** The options of `codexModel`. */
export interface CodexModelOptions {
  /** Makes a client. It must pass this environment, and nothing else, to its processes. */
  readonly codex: (environment: Record<string, string>) => CodexClient
  /** Default: the agent's default. */
  readonly model?: string
  /** The host variables to pass on, such as `CODEX_API_KEY`; `home: 'host'` uses your own login. */
  readonly environment?: AgentEnvironment
}

const modelRules: { readonly [name in keyof Required<CodexModelOptions>]: OptionRule } = {
  codex: option.function,
  model: option.string,
  environment: option.record,
}

/**
 * Creates a model that runs Codex through its SDK, for judges. It runs read-only in an empty directory. The SDK
 * enforces response schemas.
 *
 * @throws `option-invalid`; a call rejects when the turn does not complete
 *
 * @example
 * import { codexModel } from '@jurist/bridges/codex'
 * import { Codex } from '@openai/codex-sdk'
 *
 * const model = codexModel({ codex: (env) => new Codex({ env }), environment: { allow: ['CODEX_API_KEY'] } })
 */
export function codexModel(options: CodexModelOptions): JudgeModel {
  const given = { ...checkOptions('codexModel', options, modelRules), permissions: 'read-only' } as const
  const plain = codexAgent(given)
  return structuredModel((schema) => (schema === undefined ? plain : codexWith(given, schema)))
}
