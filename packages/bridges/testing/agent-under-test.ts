import type { Agent, AgentTask, Invocation, WritableWorkspace } from '@jurist/core'
import type { AgentEnvironment, Permissions } from '../src/coding/coding-options.js'
import type { RunFacts } from '../src/context/run-facts.js'
import { runFacts } from '../src/context/run-facts.js'
import type { ScriptedServer } from './scripted-server.js'
import { scriptedServer } from './scripted-server.js'
import type { ScriptedRequest, ScriptedTurn } from './scripted-turn.js'

export interface AgentSetting {
  /** The only model that the agent may ask. */
  readonly server: ScriptedServer
  /** To be passed on, with the variables that the agent needs to find the server. */
  readonly environment: AgentEnvironment
  readonly permissions: Permissions
  /** The limit of turns, where the agent has one. */
  readonly maxTurns: number
}

/** A local directory that is deleted after the test. */
interface AgentWorkspace extends WritableWorkspace, AsyncDisposable {
  readonly root: string
}

/** The abilities of an agent bridge, and the place where the agent works. */
export interface AgentAbilities {
  /** Whether it reports tokens. */
  readonly usage: boolean
  /** Whether it reports a cost. */
  readonly cost: boolean
  /** Whether it reports tool calls. */
  readonly tools: boolean
  /** Whether it has a limit of turns. Default false. */
  readonly maxTurns?: boolean
  /** Whether it has tools for files, not only a shell. Default true. */
  readonly fileTools?: boolean
  /** Whether it reports tool calls that were refused. Default true. */
  readonly refusals?: boolean
  /** Whether it reports the cause of a model's failure. Default true. */
  readonly causes?: boolean
  /** Opens an empty directory to work in. */
  readonly workspace: () => Promise<AgentWorkspace>
}

export interface AgentUnderTest {
  readonly make: (setting: AgentSetting) => Agent | Promise<Agent>
  readonly can: AgentAbilities
}

export interface AgentRun {
  readonly invocation: Invocation
  readonly facts: RunFacts
  readonly requests: readonly ScriptedRequest[]
}

/** The options that differ between the runs of the contract. */
export interface AgentRunOptions {
  readonly workspace: AgentWorkspace
  readonly script: (request: ScriptedRequest) => ScriptedTurn
  readonly permissions?: Permissions
  readonly maxTurns?: number
  readonly set?: { readonly [name: string]: string }
  readonly task?: Partial<AgentTask>
}

/** A request in an unknown protocol is an error. */
export async function agentRun({ make }: AgentUnderTest, options: AgentRunOptions): Promise<AgentRun> {
  const { workspace, script, permissions = 'workspace', maxTurns = 20, set = {} } = options
  await using server = await scriptedServer(script)
  const agent = await make({ server, environment: { set }, permissions, maxTurns })
  const signal = new AbortController().signal
  const invocation = await agent({ prompt: 'Do the task of the test.', workspace, signal, ...options.task })
  // Some agents first check whether the server responds.
  const stray = server.unexpected.find(({ method }) => method !== 'HEAD')
  if (stray !== undefined) throw new Error(`the agent asked for ${stray.method} ${stray.path}, which is not scripted`)
  const facts = runFacts(invocation.metadata ?? {}) ?? { bridge: 'none' }
  return { invocation, facts, requests: [...server.requests] }
}

/** For messages. */
export function inShort({ status, failure, output }: Invocation): string {
  return JSON.stringify({ status, failure, output })
}
