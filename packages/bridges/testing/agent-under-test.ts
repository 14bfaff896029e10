import type { Agent, AgentTask, Invocation, WritableWorkspace } from '@jurist/core'
import type { AgentEnvironment, Permissions } from '../src/coding/coding-options.js'
import type { RunFacts } from '../src/context/run-facts.js'
import { runFacts } from '../src/context/run-facts.js'
import type { ScriptedServer } from './scripted-server.js'
import { scriptedServer } from './scripted-server.js'
import type { ScriptedRequest, ScriptedTurn } from './scripted-turn.js'

/** What an agent is to be made with. */
export interface AgentSetting {
  /** The only model that the agent may ask. */
  readonly server: ScriptedServer
  /** To be handed on, with what the agent needs beside it to find the server. */
  readonly environment: AgentEnvironment
  readonly permissions: Permissions
  /** The most turns, where the agent has such a limit. */
  readonly maxTurns: number
}

/** A workspace in a local directory, gone after the test. */
interface AgentWorkspace extends WritableWorkspace, AsyncDisposable {
  readonly root: string
}

/** What an agent bridge can do, and where the agent works. */
export interface AgentAbilities {
  /** It reports tokens. */
  readonly usage: boolean
  /** It reports a cost. */
  readonly cost: boolean
  /** It reports uses of tools. */
  readonly tools: boolean
  /** It has a limit of turns. Default false. */
  readonly maxTurns?: boolean
  /** It has tools for files, not only a shell. Default true. */
  readonly fileTools?: boolean
  /** It reports tools that were refused. Default true. */
  readonly refusals?: boolean
  /** It tells what went wrong with its model, not only that something did. Default true. */
  readonly causes?: boolean
  /** Opens an empty directory to work in. */
  readonly workspace: () => Promise<AgentWorkspace>
}

/** How the parts of the contract get at an agent. */
export interface AgentUnderTest {
  readonly make: (setting: AgentSetting) => Agent | Promise<Agent>
  readonly can: AgentAbilities
}

/** What one run of the contract came to. */
export interface AgentRun {
  readonly invocation: Invocation
  readonly facts: RunFacts
  readonly requests: readonly ScriptedRequest[]
}

/** What differs between the runs of the contract. */
export interface AgentRunOptions {
  readonly workspace: AgentWorkspace
  readonly script: (request: ScriptedRequest) => ScriptedTurn
  readonly permissions?: Permissions
  readonly maxTurns?: number
  readonly set?: { readonly [name: string]: string }
  readonly task?: Partial<AgentTask>
}

/** One run of the agent against a script. Requests that no protocol knows are an error. */
export async function agentRun({ make }: AgentUnderTest, options: AgentRunOptions): Promise<AgentRun> {
  const { workspace, script, permissions = 'workspace', maxTurns = 20, set = {} } = options
  await using server = await scriptedServer(script)
  const agent = await make({ server, environment: { set }, permissions, maxTurns })
  const signal = new AbortController().signal
  const invocation = await agent({ prompt: 'Do the task of the test.', workspace, signal, ...options.task })
  // Some agents look whether anybody is there at all.
  const stray = server.unexpected.find(({ method }) => method !== 'HEAD')
  if (stray !== undefined) throw new Error(`the agent asked for ${stray.method} ${stray.path}, which is not scripted`)
  const facts = runFacts(invocation.metadata ?? {}) ?? { bridge: 'none' }
  return { invocation, facts, requests: [...server.requests] }
}

/** An invocation in short, for messages. */
export function inShort({ status, failure, output }: Invocation): string {
  return JSON.stringify({ status, failure, output })
}
