import {
  type AgentOutput,
  type AgentTask,
  type Invocation,
  type JsonObject,
  type Phase,
  textOutput,
  type Usage,
  type Verdict,
} from '@jurist/core'
import { failureOf, totalCost, totalSpent } from '@jurist/core/internal'

/** An invocation as an experiment stores it, with the fields that composed agents add. */
export interface ExperimentInvocation extends Invocation {
  readonly analysis?: Analysis
  readonly plan?: ExecutionPlan
  /** The verdicts of juries inside the agent, innermost first. */
  readonly verdicts?: readonly Verdict[]
}

/** The analysis of a task before it is planned. */
export interface Analysis {
  readonly summary: string
  readonly data: JsonObject
  readonly usage?: Usage
  /** US dollars. */
  readonly costUsd?: number
}

/** An agent's plan for a task. */
export interface ExecutionPlan {
  readonly roadmap: string
  readonly recommendedTools: readonly string[]
  /** Knowledge files that were read for the plan. */
  readonly knowledgeRead: readonly string[]
  readonly usage?: Usage
  /** US dollars. */
  readonly costUsd?: number
  readonly durationMs?: number
}

/** The facts of an invocation besides its status. A string `output` is a text output. */
export type InvocationFacts = Omit<ExperimentInvocation, 'status' | 'failure' | 'output'> & {
  readonly output?: AgentOutput | string
}

/**
 * The invocation of an agent that ended by itself.
 *
 * @param facts output, usage, cost and so on; a string stands for `{ output: text }`
 *
 * @example
 * import { completed } from '@jurist/experiment'
 *
 * completed('42')
 */
export function completed(facts: InvocationFacts | string = {}): ExperimentInvocation {
  return Object.freeze({ status: 'completed', ...invocationOf(typeof facts === 'string' ? { output: facts } : facts) })
}

/**
 * The invocation of an agent that reached its own time limit: failure code `agent-timeout`.
 *
 * @example
 * import { timedOut } from '@jurist/experiment'
 *
 * timedOut('no answer within 60 s', { usage: { inputTokens: 1_200 } })
 */
export function timedOut(message: string, facts: InvocationFacts = {}): ExperimentInvocation {
  const failure = Object.freeze({ name: 'Timeout', message, code: 'agent-timeout' })
  return Object.freeze({ status: 'timeout', failure, ...invocationOf(facts) })
}

/**
 * The invocation of an agent that failed.
 *
 * @param cause the error; becomes the `failure`
 *
 * @example
 * import { errored } from '@jurist/experiment'
 *
 * errored(new Error('the process ended with code 1'), { costUsd: 0.02 })
 */
export function errored(cause: unknown, facts: InvocationFacts = {}): ExperimentInvocation {
  return Object.freeze({ status: 'error', failure: failureOf(cause), ...invocationOf(facts) })
}

/**
 * The invocation of several phases: their usage, cost and time added up (absent if no phase declares it), and the session of
 * the last phase. One failed phase makes it an error with the code `phase-failed`; the sums stay.
 *
 * @param facts anything to add; `elapsedMs` and `sessionId` given here win
 *
 * @example
 * import { fromPhases } from '@jurist/experiment'
 *
 * fromPhases([{ name: 'plan', costUsd: 0.01 }, { name: 'execute', costUsd: 0.2, elapsedMs: 9_000 }])
 */
export function fromPhases(
  phases: readonly Phase[],
  facts: Omit<InvocationFacts, 'phases' | 'usage' | 'costUsd'> = {},
): ExperimentInvocation {
  const all: InvocationFacts = {
    ...totalSpent(phases),
    elapsedMs: totalCost(phases.map((phase) => phase.elapsedMs)),
    sessionId: phases.at(-1)?.sessionId,
    ...facts,
    phases,
  }
  const failed = phases.filter((phase) => phase.failed === true).map(({ name }) => name)
  if (failed.length === 0) return completed(all)
  const message = `Failed: ${failed.join(', ')}.`
  const failure = Object.freeze({ name: 'PhaseFailed', message, code: 'phase-failed' })
  return Object.freeze({ ...completed(all), status: 'error', failure })
}

function invocationOf({ output, ...facts }: InvocationFacts): Omit<ExperimentInvocation, 'status'> {
  const all = { ...facts, output: typeof output === 'string' ? textOutput(output) : output }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** The trial that a task belongs to. */
export interface TrialFacts {
  readonly experimentName: string
  readonly runId: string
  readonly itemId: string
  readonly itemSlug: string
  /** Counts from 1. */
  readonly repetition: number
  readonly variant: string | null
  /** Counts from 1; above 1 after infrastructure failures. */
  readonly attempt: number
}

const texts = ['experimentName', 'runId', 'itemId', 'itemSlug'] as const
const numbers = ['repetition', 'attempt'] as const

/**
 * Which trial a task belongs to; `undefined` outside an experiment.
 *
 * @example
 * import type { Agent } from '@jurist/core'
 * import { completed, trialOf } from '@jurist/experiment'
 *
 * const agent: Agent = async (task) => completed(`attempt ${trialOf(task)?.attempt ?? 1}`)
 */
export function trialOf({ metadata = {} }: AgentTask): TrialFacts | undefined {
  const whole =
    texts.every((key) => typeof metadata[key] === 'string') &&
    numbers.every((key) => typeof metadata[key] === 'number') &&
    (metadata['variant'] === null || typeof metadata['variant'] === 'string')
  if (!whole) return undefined
  const { experimentName, runId, itemId, itemSlug, repetition, variant, attempt } = metadata as unknown as TrialFacts
  return Object.freeze({ experimentName, runId, itemId, itemSlug, repetition, variant, attempt })
}

/** A fact that a bridge recorded in the metadata of its invocation. */
export function bridgeFact(metadata: ExperimentInvocation['metadata'], name: string): unknown {
  const bridge = metadata?.['bridge']
  return typeof bridge === 'string' ? metadata?.[`${bridge}.${name}`] : undefined
}

/** The texts of the sources that a bridge recorded: what the agent retrieved. */
export function sourceTexts(metadata: ExperimentInvocation['metadata']): readonly string[] {
  const sources = bridgeFact(metadata, 'sources')
  if (!Array.isArray(sources)) return []
  return sources.flatMap((source: { readonly text?: unknown } | null) =>
    typeof source?.text === 'string' ? [source.text] : [],
  )
}

/** A task that is called by hand. Without a signal it cannot be cancelled. */
export type GivenTask = Omit<AgentTask, 'signal'> & { readonly signal?: AbortSignal }

const neverAborted = new AbortController().signal

/** A task always has a signal. */
export function wholeTask(task: GivenTask): AgentTask {
  return task.signal === undefined ? changedTask(task as AgentTask, { signal: neverAborted }) : (task as AgentTask)
}

/** The task with some changes. Properties that are made when they are read stay so. */
export function changedTask(task: AgentTask, changes: Partial<AgentTask>): AgentTask {
  const changed = Object.entries(changes).map(([name, value]) => [name, { value, enumerable: true }])
  return Object.freeze(
    Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(task), ...Object.fromEntries(changed) }),
  ) as AgentTask
}
