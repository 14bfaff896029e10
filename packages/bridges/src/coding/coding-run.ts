import type { AgentTask, Invocation } from '@jurist/core'
import { JuristError } from '@jurist/core'
import { costOf } from '../context/cost.js'
import type { RunOutcome } from '../context/outcome.js'
import { thrownOutcome } from '../run/classify-error.js'
import { invocationOf } from '../run/invocation.js'
import type { WriteJournal } from '../run/journal.js'
import { journalFor } from '../run/journal.js'
import { secretsIn } from '../run/secrets.js'
import type { CodingAgentOptions } from './coding-options.js'
import type { Variables } from './environment.js'
import { addedVariables, openHome, processEnvironment } from './environment.js'
import { withLoginRemedy } from './failures.js'
import { sweep } from './sweep.js'

/** One call of a coding agent, with all that is common to them. */
export interface CodingCall {
  /** Of the metadata keys. */
  readonly prefix: string
  readonly task: AgentTask
  /** The task's, else the option's. */
  readonly model: string | undefined
  readonly graceMs: number
  readonly environment: Variables
  /** Absent: the home of the host. */
  readonly home: string | undefined
  /** What must not be told; to be blanked before a text is cut. */
  readonly secrets: readonly string[]
  /** The mark of every process of this call. */
  readonly marker: string
  readonly write: WriteJournal
  /** Added to those of the outcome. */
  readonly warnings: string[]
}

/** What the common steps need to know of a bridge. */
export interface CodingBridge {
  readonly prefix: string
  /** Started here, with an environment of its own, or by the workspace, which adds ours to its own. */
  readonly startedBy: 'bridge' | 'workspace'
  /** Variables that keep the agent quiet and say where its settings are. */
  readonly quiet?: (home: string | undefined) => Variables
  /** The variable with the agent's key, for the remedy. Default: no remedy. */
  readonly keyVariable?: string
  readonly run: (call: CodingCall) => Promise<RunOutcome>
}

/**
 * One call of a coding agent: home, environment, journal, the run itself, the sweep, cost, secrets. Whatever the run
 * throws becomes an outcome. Nothing is started when the signal has fired before.
 */
export async function codingRun(
  bridge: CodingBridge,
  options: CodingAgentOptions,
  task: AgentTask,
): Promise<Invocation> {
  const start = performance.now()
  await using home = await openHome(options.environment?.home)
  const warnings: string[] = []
  const marker = globalThis.crypto.randomUUID()
  const environment = environmentOf(bridge, options, task, home.path, marker)
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
    if (bridge.startedBy === 'bridge') await swept(call)
  }
  if (!(await home.remove())) warnings.push(`leftover-home: ${home.path}`)
  write({ type: 'state', state: 'finished' })
  const whole = finished(outcome, options, call, bridge.keyVariable)
  const parts = { prefix: bridge.prefix, prompt: task.prompt, elapsedMs: performance.now() - start, secrets }
  return invocationOf(whole, parts)
}

function environmentOf(
  { quiet, startedBy }: CodingBridge,
  { environment: given = {} }: CodingAgentOptions,
  task: AgentTask,
  home: string | undefined,
  marker: string,
): Variables {
  const parts = { given, task, quiet: quiet?.(home) ?? {}, home }
  return startedBy === 'bridge' ? processEnvironment(parts, marker) : addedVariables(parts)
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

/** What an agent left behind must not touch what comes next. */
async function swept({ marker, warnings, write }: CodingCall): Promise<void> {
  const { killed, left } = await sweep(marker)
  if (killed > 0) write({ type: 'state', state: 'leftovers-killed' })
  if (left.length > 0) warnings.push(`leftover-processes: ${left.join(' ')}`)
}

function finished(
  outcome: RunOutcome,
  { prices }: CodingAgentOptions,
  { model, warnings }: CodingCall,
  keyVariable: string | undefined,
): RunOutcome {
  const { facts } = outcome
  const cost =
    facts.costUsd === undefined ? costOf({ model: facts.model ?? model, usage: facts.usage }, prices, warnings) : {}
  const all = [...(facts.warnings ?? []), ...warnings]
  const { failure } = outcome
  const told = failure && keyVariable !== undefined ? withLoginRemedy(failure, keyVariable) : failure
  return { ...outcome, failure: told, facts: { ...facts, ...cost, warnings: all } }
}

/** Once the signal has fired it alone decides: agents report their own end in many ways. */
function stopped(outcome: RunOutcome, signal: AbortSignal): RunOutcome {
  const { status, failure } = thrownOutcome(signal.reason, signal)
  return { ...outcome, status, failure }
}

/** The directory in which an agent is started that does not go through `workspace.run`. */
export function localRoot({ workspace }: AgentTask, bridge: string): string {
  if (workspace.root !== undefined) return workspace.root
  const message = `${bridge} needs a workspace in a local directory. Give it one, or take an agent that goes through workspace.run.`
  throw new JuristError('workspace-not-local', message, { bridge })
}

/** The text that is sent to an agent with no place for a system prompt; the journal is told. */
export function inlinedPrompt({ task, warnings }: CodingCall): string {
  if (task.systemPrompt === undefined || task.systemPrompt === '') return task.prompt
  warnings.push('system-prompt-inlined')
  return `${task.systemPrompt}\n\n${task.prompt}`
}
