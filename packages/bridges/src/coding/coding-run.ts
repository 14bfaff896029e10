import { type Agent, type AgentTask, type Invocation, JuristError } from '@jurist/core'
import { markInWorkspace } from '@jurist/core/internal'
import { costOf } from '../context/cost.js'
import type { RunOutcome } from '../context/outcome.js'
import { thrownOutcome } from '../run/classify-error.js'
import { invocationOf } from '../run/invocation.js'
import { journalFor, type WriteJournal } from '../run/journal.js'
import { secretsIn } from '../run/secrets.js'
import type { CodingAgentOptions } from './coding-options.js'
import { addedVariables, openHome, processEnvironment, type Variables } from './environment.js'
import { withLoginRemedy } from './failures.js'

export interface CodingCall {
  readonly prefix: string
  readonly task: AgentTask
  /** The model of the task overrides that of the options. */
  readonly model: string | undefined
  readonly graceMs: number
  readonly environment: Variables
  /** The agent's home directory. Absent: the home of the host. */
  readonly home: string | undefined
  /** Values to hide. Replace them before a string is shortened. */
  readonly secrets: readonly string[]
  /** The value that marks every process of this call. */
  readonly marker: string
  readonly write: WriteJournal
  /** Added to the warnings of the outcome. */
  readonly warnings: string[]
}

/** The parts that differ between the bridges. */
export interface CodingBridge {
  readonly prefix: string
  /** The bridge starts the agent with its own environment, or the workspace starts it and adds ours to its own. */
  readonly startedBy: 'bridge' | 'workspace'
  /** Variables that keep the agent quiet and locate its settings. */
  readonly quiet?: (home: string | undefined) => Variables
  /** The variable with the agent's key, named when a login is missing. */
  readonly keyVariable?: string
  /** Where the program asks its model, with these variables; `undefined` if that is not known. */
  readonly modelAddress?: (variables: Variables) => string | undefined
  readonly run: (call: CodingCall) => Promise<RunOutcome>
}

export function codingAgent(name: string, bridge: CodingBridge, options: CodingAgentOptions): Agent {
  const agent: Agent = (task) => codingRun(bridge, options, task)
  const named = Object.defineProperty(agent, 'name', { value: name })
  if (bridge.startedBy !== 'workspace') return named
  const variables = addedVariables({ given: options.environment ?? {}, task: {}, quiet: {} })
  return markInWorkspace(named, undefined, bridge.modelAddress?.(variables))
}

/**
 * Prepares home, environment and journal, runs the agent, kills processes that are left over, and adds the cost. An
 * exception of the run becomes an outcome. Starts nothing when the signal has already fired.
 */
async function codingRun(bridge: CodingBridge, options: CodingAgentOptions, task: AgentTask): Promise<Invocation> {
  const start = performance.now()
  await using home = await openHome(options.environment?.home)
  const warnings: string[] = []
  const marker = globalThis.crypto.randomUUID()
  const environment = await environmentOf(bridge, options, task, home.path, marker)
  const secrets = secretsIn(environment)
  const write = journalFor({ record: task.record, transcript: options.transcript, secrets, warnings })
  const call: CodingCall = {
    prefix: bridge.prefix,
    task,
    model: task.model ?? options.model,
    graceMs: options.graceMs ?? 5_000,
    environment,
    home: home.path,
    secrets,
    marker,
    write,
    warnings,
  }
  let outcome: RunOutcome
  try {
    outcome = await outcomeOf(bridge, call)
  } finally {
    if (bridge.startedBy === 'bridge') await killLeftovers(call)
  }
  if (!(await home.remove())) warnings.push(`leftover-home: ${home.path}`)
  write({ type: 'state', state: 'finished' })
  const whole = finished(outcome, options, call, bridge.keyVariable)
  const parts = { prefix: bridge.prefix, prompt: task.prompt, elapsedMs: performance.now() - start, secrets }
  return invocationOf(whole, parts)
}

async function environmentOf(
  { quiet, startedBy }: CodingBridge,
  { environment: given = {} }: CodingAgentOptions,
  task: AgentTask,
  home: string | undefined,
  marker: string,
): Promise<Variables> {
  const parts = { given, task, quiet: quiet?.(home) ?? {}, home }
  if (startedBy === 'workspace') return addedVariables(parts)
  const { markerName } = await import('@jurist/kit/processes')
  return { ...processEnvironment(parts), [markerName]: marker }
}

async function outcomeOf({ run }: CodingBridge, call: CodingCall): Promise<RunOutcome> {
  const { task, write } = call
  try {
    task.signal.throwIfAborted()
    write({ type: 'state', state: 'started' })
    const outcome = await run(call)
    return task.signal.aborted ? stopped(outcome, task.signal) : outcome
  } catch (thrown) {
    // A mistake of the caller must not look like a failure of the agent.
    if (JuristError.is(thrown, 'option-invalid') || JuristError.is(thrown, 'workspace-not-local')) throw thrown
    const { status, failure } = thrownOutcome(thrown, task.signal)
    return { status, failure, facts: {} }
  }
}

/** Processes that outlive an agent must not affect later trials. */
async function killLeftovers({ marker, warnings, write }: CodingCall): Promise<void> {
  const { killRun } = await import('@jurist/kit/processes')
  const { killed, left } = await killRun({ marker })
  if (killed > 0) write({ type: 'state', state: 'leftovers-killed' })
  if (left.length > 0) warnings.push(`leftover-processes: ${left.join(' ')}`)
}

function finished(
  outcome: RunOutcome,
  { prices }: CodingAgentOptions,
  { model, warnings }: CodingCall,
  keyVariable: string | undefined,
): RunOutcome {
  const { facts, failure } = outcome
  const cost =
    facts.costUsd === undefined ? costOf({ model: facts.model ?? model, usage: facts.usage }, prices, warnings) : {}
  const all = [...(facts.warnings ?? []), ...warnings]
  const withRemedy = failure && keyVariable !== undefined ? withLoginRemedy(failure, keyVariable) : failure
  return { ...outcome, failure: withRemedy, facts: { ...facts, ...cost, warnings: all } }
}

/** A fired signal alone decides the status, since agents report their own end in many ways. */
function stopped(outcome: RunOutcome, signal: AbortSignal): RunOutcome {
  const { status, failure } = thrownOutcome(signal.reason, signal)
  return { ...outcome, status, failure }
}

/** For an agent that `workspace.run` does not start. */
export function localRoot({ workspace }: AgentTask, bridge: string): string {
  if (workspace.root !== undefined) return workspace.root
  const message = `${bridge}: the workspace is not in a local directory. Pass a local workspace, or use an agent that runs through workspace.run.`
  throw new JuristError('workspace-not-local', message, { bridge })
}

/** For agents that take no system prompt. Adds a warning. */
export function inlinedPrompt({ task, warnings }: CodingCall): string {
  if (task.systemPrompt === undefined || task.systemPrompt === '') return task.prompt
  warnings.push('system-prompt-inlined')
  return `${task.systemPrompt}\n\n${task.prompt}`
}
