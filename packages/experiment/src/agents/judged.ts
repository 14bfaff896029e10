import {
  type Agent,
  type AgentTask,
  error,
  type Judge,
  type JudgmentContext,
  type Jury,
  judgmentContext,
  jury,
  type Verdict,
  verdictFromJson,
} from '@jurist/core'
import { checkOptions, option } from '@jurist/core/internal'
import { type ExperimentInvocation, errored } from '../invocation.js'
import { factsOf, sourceTexts, statusOf } from '../run/judgment-context.js'
import { readInvocation } from '../run/read-invocation.js'
import { juryOfOne } from '../run/settings.js'
import { type GivenTask, wholeTask } from './changed-task.js'

/** What an agent did, and what was said about it. */
export type JudgedInvocation = ExperimentInvocation & {
  readonly verdict: Verdict
  /** All that juries inside the agent said, innermost first; the last is `verdict`. */
  readonly verdicts: readonly Verdict[]
  /** The verdicts that count: `verdicts` without those of attempts that were made again. */
  readonly standing: readonly Verdict[]
  /** Whether every verdict in `standing` is a pass: no jury opens what one inside of it closed. */
  readonly passed: boolean
}

/** An agent whose work is judged before it comes back. Called by hand it needs no `signal`. */
export type JudgedAgent = (task: GivenTask) => Promise<JudgedInvocation>

/** How an agent's work is judged on the spot. */
export interface JudgedOptions {
  /** What the jury is told was asked for. Default: the prompt. */
  readonly goal?: string
  /** Milliseconds for the jury. Default 600,000. */
  readonly judgeTimeoutMs?: number
  /** Whether work is judged whose agent timed out or erred. Default `false`: it is an error, and not passed. */
  readonly judgeFailedRuns?: boolean
}

/**
 * An agent whose work a jury judges on the spot: a quality gate in code. Never rejects for what agent or jury do: an agent
 * that throws is an error, a jury that throws an error verdict. Nested, every verdict is kept, innermost first, and
 * `passed` is true only where each is a pass.
 *
 * @throws `option-invalid`
 *
 * @example
 * const careful = judged(agent, rules)
 * const { passed, verdict } = await careful({ prompt: 'Fix the build.', workspace })
 * if (!passed) throw new Error(explain(verdict))
 */
export function judged(agent: Agent, jury: Jury | Judge, options?: JudgedOptions): JudgedAgent {
  const {
    goal,
    judgeTimeoutMs = 600_000,
    judgeFailedRuns = false,
  } = checkOptions('judged', options, {
    goal: option.string,
    judgeTimeoutMs: option.positive,
    judgeFailedRuns: option.boolean,
  })
  const asked = juryOfOne(jury)
  return async function judged(given) {
    const task = wholeTask(given)
    const startedAt = new Date().toISOString()
    const { invocation, standing: inner } = await invoke(agent, task)
    const context = contextFor(task, invocation, { goal, startedAt })
    const verdict = isJudged(invocation, judgeFailedRuns)
      ? await verdictWithin(asked, context, judgeTimeoutMs)
      : await notCompleted(invocation)
    const standing = Object.freeze([...inner, verdict])
    const passed = standing.every(isPass)
    const verdicts = [...(invocation.verdicts ?? []), verdict]
    return Object.freeze({ ...invocation, verdict, verdicts, standing, passed })
  }
}

/** Whether a verdict is a pass. */
export function isPass({ aggregated }: Verdict): boolean {
  return aggregated.status === 'pass'
}

interface Invoked {
  readonly invocation: ExperimentInvocation
  /** What juries inside the agent said of the work as it is now. */
  readonly standing: readonly Verdict[]
}

async function invoke(agent: Agent, task: AgentTask): Promise<Invoked> {
  try {
    const given: unknown = await agent(task)
    const { invocation } = readInvocation(given)
    return { invocation, standing: standingOf(given) ?? invocation.verdicts ?? [] }
  } catch (thrown) {
    return { invocation: errored(thrown), standing: [] }
  }
}

/** The `standing` of a judged agent; of others, all verdicts stand. */
function standingOf(given: unknown): readonly Verdict[] | undefined {
  const standing = (given as Partial<JudgedInvocation> | undefined)?.standing
  return Array.isArray(standing) ? standing.map(verdictFromJson) : undefined
}

function isJudged({ status }: ExperimentInvocation, judgeFailedRuns: boolean): boolean {
  switch (status) {
    case 'completed':
    case 'refused':
      return true
    case 'timeout':
    case 'error':
      return judgeFailedRuns
    case 'cancelled':
      return false
    default:
      return status satisfies never
  }
}

function contextFor(
  task: AgentTask,
  invocation: ExperimentInvocation,
  { goal = task.prompt, startedAt }: { readonly goal: string | undefined; readonly startedAt: string },
): JudgmentContext {
  const { output, elapsedMs, failure } = invocation
  const referenceData = sourceTexts(invocation.metadata)
  return judgmentContext({
    goal,
    workspace: task.workspace,
    status: statusOf(invocation),
    startedAt,
    signal: task.signal,
    metadata: { ...invocation.metadata, ...task.metadata, ...factsOf(invocation) },
    ...(output === undefined ? {} : { agentOutput: output }),
    ...(elapsedMs === undefined ? {} : { executionMs: elapsedMs }),
    ...(failure === undefined ? {} : { failure }),
    ...(referenceData.length === 0 ? {} : { referenceData }),
  })
}

/** What a jury says; an error verdict when it throws, says nothing in time or gives no verdict. */
async function verdictWithin(asked: Jury, context: JudgmentContext, timeoutMs: number): Promise<Verdict> {
  const guarded = jury({ judges: { jury: asked }, timeoutMs })
  const verdict = await guarded.vote(context)
  return verdict.subVerdicts['jury'] ?? verdict
}

async function notCompleted({ status, failure }: ExperimentInvocation): Promise<Verdict> {
  const reason = failure === undefined ? '' : `: ${failure.message}`
  const cause = Object.assign(new Error(`The agent did not complete (${status})${reason}`), {
    code: 'agent-not-completed',
  })
  const agent: Judge = () => error(cause.message, cause)
  return jury({ judges: { agent } }).vote({})
}
