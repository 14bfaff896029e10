import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AgentTask,
  type Invocation,
  type JournalEvent,
  type Json,
  textOutput,
  verdictFromJson,
  type WritableWorkspace,
} from '@jurist/core'
import {
  arrayOf,
  failureOf,
  frozenJson,
  type Held,
  hasFields,
  heldConversation,
  isInvocationStatus,
  isPlainObject,
  type OptionRule,
  option,
  turnsRule,
} from '@jurist/core/internal'
import { withTimeout } from '@jurist/kit/timers'
import { isKeptFromAgents } from '../dataset/item-fields.js'
import { type ExperimentInvocation, errored } from '../invocation.js'
import { phaseEvents } from '../journal/journal-events.js'
import type { WorkspaceLease } from '../provision/provision.js'
import type { AgentOutcome } from '../result/records.js'
import { interruptedFailure, runStep, type Step, type StepEnd } from './cancellation.js'
import { toolEvents } from './judge-trial.js'
import type { Attempt, Turn } from './run-context.js'
import { isRecordedAgent, taskMetadata } from './stored-outputs.js'
import { revocableWorkspace } from './trial-workspace.js'
import { trialName } from './trials.js'

const graceMs = 10_000

/**
 * Calls the agent within its time limit. The result is always an invocation: an exception becomes an error, and so does a
 * value that is not an invocation. What the agent returns within 10 seconds after its signal fired counts. When this resolves,
 * the commands that it started through the workspace have ended too.
 */
export async function runAgent(attempt: Attempt, lease: WorkspaceLease): Promise<Turn> {
  const { run, trial } = attempt
  const { cancellation } = run
  const { agent } = run.settings
  const timeoutMs = timeoutOf(attempt)
  run.tell({ type: 'item-phase', itemId: trial.itemId, repetition: trial.repetition, phase: 'agent' })
  const revocable = revocableWorkspace(lease)
  const directory = agentDirectory(attempt)
  const recorder = agentRecorder(attempt)
  const startedMs = performance.now()
  const late = `The agent did not end within ${timeoutMs} ms.`
  const end = await runStep({ cancellation, timeoutMs, late, graceMs }, (step) => {
    const { signal } = step
    const record = (event: JournalEvent) => recorder.record(event, step)
    return agent(
      agentTask(attempt, { signal, record }, { workspace: revocable.workspace, runDirectory: directory?.make }),
    )
  })
  const agentMs = performance.now() - startedMs
  recorder.end()
  const running = revocable.revoke()
  if (running.length > 0) await endOf(running, attempt)
  directory?.removeIfEmpty()
  const touched = revocable.touched()
  return turnOf(attempt, end, { agentMs, recorder, touched })
}

/** Milliseconds for the agent: those of the item, else of the experiment. */
function timeoutOf({ run, trial }: Pick<Attempt, 'run' | 'trial'>): number {
  return trial.item.timeoutMs ?? run.settings.itemTimeoutMs
}

/** Passes on the events that an agent records during its turn. */
interface AgentRecorder {
  /** Interrupts the step when the recorded model calls cost too much. */
  record(event: JournalEvent, step: Step): void
  used(): boolean
  toolEvents(): readonly JournalEvent[]
  /** Ends the turn: later events are dropped, with one warning. */
  end(): void
}

/** Passes events on to the journal, and adds up the cost of model calls. */
function agentRecorder({ run, trial, journal }: Attempt): AgentRecorder {
  const { perItemUsd } = run.settings.budget
  const ofTools = toolEvents()
  let costUsd = 0
  let used = false
  let over = false
  let warned = false

  function warnOfLate(): void {
    if (!warned) run.warn('record-late', 'The agent recorded something after its trial.', trial.itemId)
    warned = true
  }

  return {
    used: () => used,
    toolEvents: ofTools.all,
    record(event, step) {
      if (over) return warnOfLate()
      used = true
      const stored = journal.record(event)
      if (stored !== undefined) ofTools.add(stored)
      if (perItemUsd === undefined || event?.type !== 'model-call') return
      costUsd += event.costUsd ?? 0
      if (costUsd > perItemUsd)
        step.interrupt({ by: 'cost', message: `The trial has cost more than ${perItemUsd} US dollars.` })
    },
    end() {
      over = true
    },
  }
}

interface TurnFacts {
  readonly agentMs: number
  readonly recorder: AgentRecorder
  readonly touched: boolean
}

function turnOf(attempt: Attempt, end: StepEnd<Invocation | string>, { agentMs, recorder, touched }: TurnFacts): Turn {
  const { run, journal } = attempt
  const isRecorded = isRecordedAgent(run.settings.agent)
  const given = invocationOf(end, attempt, isRecorded ? undefined : agentMs)
  const isTimed = isRecorded || given.elapsedMs !== undefined
  const invocation = isTimed ? given : Object.freeze({ ...given, elapsedMs: agentMs })
  if (!recorder.used() && invocation.phases !== undefined)
    for (const event of phaseEvents(invocation.phases, run.settings.model ?? 'unknown')) journal.record(event)
  return {
    invocation,
    outcome: outcomeOf(invocation),
    failure: invocation.failure === undefined ? null : run.classify(invocation.failure, 'agent'),
    recorded: recorder.toolEvents(),
    touched,
    agentMs: isRecorded ? (given.elapsedMs ?? 0) : agentMs,
  }
}

async function endOf(commands: readonly Promise<unknown>[], { run, trial }: Attempt): Promise<void> {
  await withTimeout(Promise.allSettled(commands), graceMs, () =>
    run.warn('processes-left', `Commands of the agent did not end within ${graceMs} ms.`, trial.itemId),
  )
}

/** Values created on first use, since most agents never read them. */
interface OnDemand {
  readonly workspace: () => WritableWorkspace
  readonly runDirectory: (() => string) | undefined
}

function agentTask(
  { run, trial, number }: Attempt,
  { signal, record }: Pick<AgentTask, 'signal' | 'record'>,
  { workspace, runDirectory }: OnDemand,
): AgentTask {
  const { runId, env } = run
  const { systemPrompt, model, name, variant } = run.settings
  const task = {
    prompt: trial.prompt,
    get workspace() {
      return workspace()
    },
    signal,
    timeoutMs: timeoutOf({ run, trial }),
    env,
    metadata: taskMetadata(trial.item, {
      experimentName: name,
      runId,
      itemId: trial.itemId,
      itemSlug: trial.item.slug,
      repetition: trial.repetition,
      variant,
      attempt: number,
    }),
    ...(trial.item.input && { input: trial.item.input }),
    ...(record && { record }),
    ...(systemPrompt !== null && { systemPrompt }),
    ...(model !== null && { model }),
  }
  if (runDirectory !== undefined) Object.defineProperty(task, 'runDirectory', { enumerable: true, get: runDirectory })
  return Object.freeze(task)
}

/** The directory for an agent's own files, next to the results. */
interface AgentDirectory {
  readonly make: () => string
  readonly removeIfEmpty: () => void
}

/** The directory that a task offers; `null` if the store keeps no files. */
function agentDirectory({ run, trial }: Attempt): AgentDirectory | null {
  const { directory } = run
  if (directory === null) return null
  let made: string | undefined
  return {
    make() {
      if (made !== undefined) return made
      made = join(directory, 'agent', trialName(trial))
      mkdirSync(made, { recursive: true })
      return made
    },
    removeIfEmpty() {
      if (made === undefined) return
      try {
        rmdirSync(made)
      } catch {
        // The agent has written files, so the directory stays.
      }
    },
  }
}

function invocationOf(
  end: StepEnd<Invocation | string>,
  { run, trial }: Attempt,
  agentMs: number | undefined,
): ExperimentInvocation {
  const given = givenInvocation(end, agentMs, (code, message) => run.warn(code, message, trial.itemId))
  const { interruption } = end
  if (interruption === null)
    return given.status === 'completed' || given.status === 'refused' ? given : withFailure(given)
  const status = interruption.by === 'time' ? 'timeout' : 'cancelled'
  return Object.freeze({ ...given, status, failure: interruptedFailure(interruption, 'agent-timeout') })
}

function givenInvocation(
  end: StepEnd<Invocation | string>,
  agentMs: number | undefined,
  warn: (code: string, message: string) => void,
): ExperimentInvocation {
  switch (end.type) {
    case 'value': {
      const { invocation, warnings } = readInvocation(end.value, agentMs)
      for (const { code, message } of warnings) warn(code, message)
      return invocation
    }
    case 'thrown':
      return errored(end.thrown)
    case 'unfinished':
      return { status: 'cancelled' }
    default:
      return end satisfies never
  }
}

/** Adds a failure to an invocation that ended badly without one. */
function withFailure(invocation: ExperimentInvocation): ExperimentInvocation {
  if (invocation.failure !== undefined) return invocation
  const timedOut = invocation.status === 'timeout'
  const failure = failureOf(
    new Error(`The agent returned the status ${JSON.stringify(invocation.status)} without a failure.`),
  )
  return Object.freeze({ ...invocation, failure: timedOut ? { ...failure, code: 'agent-timeout' } : failure })
}

function outcomeOf({ status }: ExperimentInvocation): AgentOutcome {
  return status === 'refused' ? 'completed' : status
}

export interface ReadInvocation {
  /** Metadata may still be mutable. */
  readonly invocation: ExperimentInvocation
  /** The keys that were left out or renamed. */
  readonly warnings: readonly { readonly code: string; readonly message: string }[]
}

type Fields = { [key in Exclude<keyof ExperimentInvocation, 'user'>]: (value: unknown) => unknown }

const failureRule: OptionRule = {
  wants: 'an object with a name and a message',
  holds: (value) => hasFields(value, { name: option.string, message: option.string }),
}
const phasesRule = arrayOf('an array of phases with a name', {
  holds: (value) => hasFields(value, { name: option.string }),
})

/** Checks and copies each field by the rules of options. The message of an exception describes the problem. */
const fields: Required<Fields> = {
  status: follows({ wants: 'completed, refused, timeout, error or cancelled', holds: isInvocationStatus }),
  output: readOutput,
  failure: follows(failureRule, json),
  elapsedMs: follows(option.nonNegative),
  usage: readUsage,
  costUsd: follows(option.nonNegative),
  sessionId: follows(option.string),
  turns: follows(turnsRule, json),
  phases: follows(phasesRule, json),
  metadata: follows(option.record),
  analysis: follows(option.record, json),
  plan: follows(option.record, json),
  verdicts: follows({ wants: 'an array', holds: Array.isArray }, (value) =>
    Object.freeze((value as unknown[]).map(verdictFromJson)),
  ),
}

/** A function that refuses a value which does not follow the rule, and copies one that does. */
function follows({ holds, wants }: OptionRule, copy: (value: unknown) => unknown = (value) => value) {
  return (value: unknown): unknown => {
    if (!holds(value)) throw new TypeError(`must be ${wants}`)
    return copy(value)
  }
}

const checks = Object.entries(fields)

/**
 * Reads the return value of an agent as an invocation: a frozen copy of the known fields. A string is the output of an
 * agent that completed. A value that is not an invocation becomes an error with the code `invocation-invalid` that names
 * every problem.
 *
 * @param elapsedMs the measured time, used if the agent declares none
 */
export function readInvocation(value: unknown, elapsedMs?: number): ReadInvocation {
  if (typeof value === 'string') return readInvocation({ status: 'completed', output: value }, elapsedMs)
  if (!isPlainObject(value)) return invalid(['it is neither an object nor a string'])
  const read: { [key: string]: unknown } = {}
  const problems: string[] = []
  for (const [name, check] of checks) {
    const given = value[name]
    if (given === undefined && name !== 'status') continue
    try {
      read[name] = check(given)
    } catch (thrown) {
      problems.push(`"${name}" ${failureOf(thrown).message}`)
    }
  }
  if (problems.length > 0) return invalid(problems)
  const { metadata } = read as Pick<ExperimentInvocation, 'metadata'>
  if (elapsedMs !== undefined) read['elapsedMs'] ??= elapsedMs
  if (value['user'] !== undefined) readUser(value as unknown as ExperimentInvocation, read)
  // Frozen last: copying a frozen object takes longer than everything above.
  const invocation = read as unknown as ExperimentInvocation
  return metadata === undefined
    ? { invocation: Object.freeze(invocation), warnings: [] }
    : withMetadata(invocation, metadata)
}

function invalid(problems: readonly string[]): ReadInvocation {
  const message = `The agent did not return an invocation: ${problems.join('; ')}. Return completed(…) or errored(…).`
  const failure = Object.freeze({ name: 'InvocationInvalid', message, code: 'invocation-invalid' })
  return { invocation: Object.freeze({ status: 'error', failure }), warnings: [] }
}

function withMetadata(invocation: ExperimentInvocation, metadata: NonNullable<Invocation['metadata']>): ReadInvocation {
  const reserved = Object.keys(metadata).filter(isKeptFromAgents)
  const entries = Object.entries(metadata).map(([key, value]) => [isKeptFromAgents(key) ? `agent.${key}` : key, value])
  const message = `The agent used reserved metadata keys; they are kept as ${reserved.map((key) => `agent.${key}`).join(', ')}.`
  return {
    invocation: Object.freeze({ ...invocation, metadata: Object.freeze(Object.fromEntries(entries)) }),
    warnings: reserved.length === 0 ? [] : [{ code: 'metadata-reserved', message }],
  }
}

/**
 * An invocation as it is stored: metadata that is not JSON is left out and named in `dropped`. The part of the user is a field
 * of the trial.
 */
export function storedInvocation(invocation: ExperimentInvocation & Held): {
  readonly stored: ExperimentInvocation
  readonly dropped: readonly string[]
} {
  const given = invocation.user === undefined ? invocation : withoutUser(invocation)
  const { metadata } = given
  if (metadata === undefined) return { stored: given, dropped: [] }
  const kept: { [key: string]: Json } = {}
  const dropped: string[] = []
  for (const [key, value] of Object.entries(metadata)) {
    try {
      kept[key] = json(value)
    } catch {
      dropped.push(key)
    }
  }
  return { stored: Object.freeze({ ...given, metadata: Object.freeze(kept) }), dropped }
}

function withoutUser({ user, [heldConversation]: _, ...given }: ExperimentInvocation & Held): ExperimentInvocation {
  return Object.freeze(given)
}

function json(value: unknown): Json {
  return frozenJson(withoutUndefined(value), [], (place, problem) => {
    throw new TypeError(`${problem}${place.length === 0 ? '' : ` at ${place.join('.')}`}`)
  })
}

/** A key whose value is `undefined` counts as missing, as in options. */
function withoutUndefined(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > 100) return value
  if (Array.isArray(value)) return value.map((entry) => withoutUndefined(entry, depth + 1))
  if (!isPlainObject(value)) return value
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined)
  return Object.fromEntries(entries.map(([key, entry]) => [key, withoutUndefined(entry, depth + 1)]))
}

/** Accepts a string as a text output. */
function readOutput(value: unknown): unknown {
  if (typeof value === 'string') return textOutput(value)
  if (!isPlainObject(value)) throw new TypeError('must be an output, such as textOutput(…)')
  const { type, text, data, parts } = value
  if (type === 'text' && typeof text === 'string') return Object.freeze({ type, text })
  if (type === 'structured') return Object.freeze({ type, data: json(data) })
  if (type === 'multimodal' && Array.isArray(parts)) return Object.freeze({ type, parts: json(parts) })
  throw new TypeError('must be an output, such as textOutput(…)')
}

function readUsage(value: unknown): unknown {
  if (!isPlainObject(value)) throw new TypeError(`must be ${option.record.wants}`)
  const counts = Object.entries(value).filter(([, count]) => count !== undefined)
  for (const [name, count] of counts)
    if (!option.integer(0).holds(count)) throw new TypeError(`must have a whole number as ${name}`)
  return Object.freeze(Object.fromEntries(counts))
}

/** The part of a user is believed only of a conversation that was held here: an agent could blame a user for its own failure. */
function readUser(given: ExperimentInvocation & Held, read: { [key: string | symbol]: unknown }): void {
  const held = given[heldConversation]
  if (held === undefined) return
  read['user'] = given.user
  read[heldConversation] = held
}
