import { type Agent, type AgentTask, JuristError } from '@jurist/core'
import { checkOptions, failureOf, type OptionRule, option } from '@jurist/core/internal'
import type { JudgeModel } from '@jurist/core/llm'
import {
  type AgentEnvironment,
  type CodingAgentOptions,
  codingRules,
  type Permissions,
} from '../coding/coding-options.js'
import { type CodingBridge, type CodingCall, codingRun, inlinedPrompt, localRoot } from '../coding/coding-run.js'
import { protocolFailure, startFailure } from '../coding/failures.js'
import { climb } from '../coding/stop-agent.js'
import { structuredModel } from '../coding/structured-model.js'
import { signalMarked } from '../coding/sweep.js'
import type { RunOutcome } from '../context/outcome.js'
import { type CodexClient, type CodexEvent, type CodexThreadOptions, prefix } from './context.js'
import { codexJournal } from './journal.js'
import { readCodex } from './reading.js'

/** The sandbox that Codex puts its commands into. */
export const sandboxModes: { readonly [permissions in Permissions]: NonNullable<CodexThreadOptions['sandboxMode']> } = {
  'read-only': 'read-only',
  workspace: 'workspace-write',
  full: 'danger-full-access',
}

/** The SDK, and what to tell it. */
export interface CodexAgentOptions extends CodingAgentOptions {
  /** Makes a client whose programs get this environment and nothing else. */
  readonly codex: (environment: Record<string, string>) => CodexClient
  /** Further options of the thread; they win over those of the bridge, except `workingDirectory` and `approvalPolicy`. */
  readonly thread?: Partial<CodexThreadOptions>
}

const agentRules: { readonly [name in keyof Required<CodexAgentOptions>]: OptionRule } = {
  ...codingRules,
  codex: option.function,
  thread: option.record,
}

/**
 * Codex through its SDK, in a local workspace. Nobody approves anything: what its sandbox does not allow fails.
 *
 * @throws `option-invalid`; when called, `workspace-not-local`
 *
 * @example
 * import { Codex } from '@openai/codex-sdk'
 *
 * const agent = codexAgent({ codex: (env) => new Codex({ env, apiKey: process.env.OPENAI_API_KEY }) })
 */
export function codexAgent(options: CodexAgentOptions): Agent {
  const given = checkOptions('codexAgent', options, agentRules)
  if (given.codex === undefined)
    throw new JuristError(
      'option-invalid',
      'codexAgent: give "codex", a function that makes a Codex of @openai/codex-sdk.',
      {
        option: 'codex',
      },
    )
  const bridge = codexBridge((call) => runThread(call, given, undefined))
  return function codexAgent(task: AgentTask) {
    return codingRun(bridge, given, task)
  }
}

/** As `codexAgent`, with an answer that keeps a schema. */
function codexWithSchema(options: CodexAgentOptions, outputSchema: unknown): Agent {
  const bridge = codexBridge((call) => runThread(call, options, outputSchema))
  return (task) => codingRun(bridge, options, task)
}

function codexBridge(run: CodingBridge['run']): CodingBridge {
  return {
    prefix,
    startedBy: 'bridge',
    keyVariable: 'CODEX_API_KEY',
    quiet: (home): { readonly [name: string]: string } => (home === undefined ? {} : { CODEX_HOME: home }),
    run,
  }
}

/** What was heard of one turn. */
interface Heard {
  readonly events: CodexEvent[]
  thrown?: unknown
}

async function runThread(call: CodingCall, given: CodexAgentOptions, outputSchema: unknown): Promise<RunOutcome> {
  const { task, environment, model, graceMs, marker, write } = call
  const { codex, permissions = 'workspace', thread: own = {} } = given
  const workingDirectory = localRoot(task, 'codexAgent')
  const thread = codex({ ...environment }).startThread({
    skipGitRepoCheck: true,
    webSearchMode: 'disabled',
    sandboxMode: sandboxModes[permissions],
    ...(model === undefined ? {} : { model }),
    ...own,
    // Nobody is there to ask.
    approvalPolicy: 'never',
    workingDirectory,
  })
  const controller = new AbortController()
  const text = inlinedPrompt(call)
  write({ type: 'prompt', text })
  const heard: Heard = { events: [] }
  const options = { signal: controller.signal, ...(outputSchema === undefined ? {} : { outputSchema }) }
  await climb(
    listened(() => thread.runStreamed(text, options), heard, call),
    {
      signal: task.signal,
      graceMs,
      cancel: () => {
        write({ type: 'state', state: 'cancelling' })
        controller.abort()
      },
      terminate: () => signalMarked(marker, 'SIGTERM'),
      kill: () => signalMarked(marker, 'SIGKILL'),
    },
  )
  const outcome = readCodex(heard.events, workingDirectory)
  return outcome.status === 'unknown' ? { ...outcome, status: 'failed', failure: failureWithoutEnd(heard) } : outcome
}

/** A turn that failed is followed by a throw; which of both counts is decided at the end. */
async function listened(
  start: () => Promise<{ readonly events: AsyncIterable<CodexEvent> }>,
  heard: Heard,
  { write, task, model }: CodingCall,
): Promise<void> {
  const tell = codexJournal(write, task.workspace.root, model)
  try {
    const { events } = await start()
    for await (const event of events) {
      heard.events.push(event)
      tell(event)
    }
  } catch (thrown) {
    heard.thrown = thrown
  }
}

function failureWithoutEnd({ thrown }: Heard) {
  if (thrown === undefined) return protocolFailure('it ended before the turn was complete')
  const { message, code } = failureOf(thrown)
  if (code === 'ENOENT') return startFailure('Codex', message)
  return protocolFailure(`it ended before the turn was complete (${message})`)
}

/** The SDK as a model. */
export interface CodexModelOptions {
  /** Makes a client whose programs get this environment and nothing else. */
  readonly codex: (environment: Record<string, string>) => CodexClient
  readonly model?: string
  readonly environment?: AgentEnvironment
}

const modelRules: { readonly [name in keyof Required<CodexModelOptions>]: OptionRule } = {
  codex: option.function,
  model: option.string,
  environment: option.record,
}

/**
 * Codex as a model through its SDK, for judges that ask one: it may only look, in an empty directory. A schema is kept by
 * the SDK.
 *
 * @throws `option-invalid`; a call rejects when the turn does not complete
 *
 * @example
 * const model = codexModel({ codex: (env) => new Codex({ env, apiKey: process.env.OPENAI_API_KEY }) })
 */
export function codexModel(options: CodexModelOptions): JudgeModel {
  const given = { ...checkOptions('codexModel', options, modelRules), permissions: 'read-only' } as const
  const plain = codexAgent(given)
  return structuredModel((schema) => (schema === undefined ? plain : codexWithSchema(given, schema)))
}
