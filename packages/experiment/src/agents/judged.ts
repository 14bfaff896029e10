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
import { checkOptions, markInWorkspace, option } from '@jurist/core/internal'
import { type ExperimentInvocation, errored, type GivenTask, sourceTexts, wholeTask } from '../invocation.js'
import { isJournalEvent } from '../journal/journal-events.js'
import { factsOf, statusOf, type ToolEvents, toolEvents, toolStepsOf } from '../run/judge-trial.js'
import { readInvocation } from '../run/run-agent.js'
import { juryOfOne } from '../run/settings.js'

/** An invocation with its verdicts. */
export type JudgedInvocation = ExperimentInvocation & {
  readonly verdict: Verdict
  /** The verdicts of all juries inside the agent, innermost first; the last is `verdict`. */
  readonly verdicts: readonly Verdict[]
  /** The verdicts that count: `verdicts` without those of attempts that were repeated. */
  readonly standing: readonly Verdict[]
  /** Whether every verdict in `standing` is a pass: an outer jury cannot overrule an inner one. */
  readonly passed: boolean
}

/** An agent whose work is judged before it returns. Called by hand it needs no `signal`. */
export type JudgedAgent = (task: GivenTask) => Promise<JudgedInvocation>

/** Options of `judged`. */
export interface JudgedOptions {
  /** The goal in the jury's context. Default: the prompt. */
  readonly goal?: string
  /** Milliseconds for the jury. Default 600,000. */
  readonly judgeTimeoutMs?: number
  /** Whether work is judged if the agent timed out or failed. Default `false`: the verdict is an error. */
  readonly judgeFailedRuns?: boolean
}

/**
 * An agent whose work a jury judges before it returns: a quality gate in code. Never rejects because of agent or jury: an
 * agent that throws is an error, a jury that throws an error verdict. Nested agents keep every verdict, innermost first, and
 * `passed` is true only if each is a pass.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { explain, fileExists } from '@jurist/core'
 * import { completed, judged } from '@jurist/experiment'
 * import { localWorkspace } from '@jurist/workspace'
 *
 * const careful = judged(async () => completed('done'), fileExists('README.md'))
 * const { passed, verdict } = await careful({ prompt: 'Write a README.', workspace: localWorkspace('.') })
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
  return markInWorkspace(async function judged(given: GivenTask) {
    const task = wholeTask(given)
    const startedAt = new Date().toISOString()
    const recorded = toolEvents()
    const { invocation, standing: inner } = await invoke(agent, recordingTools(task, recorded))
    const context = contextFor(task, invocation, { goal, startedAt, recorded })
    const verdict = isJudged(invocation, judgeFailedRuns)
      ? await verdictWithin(asked, context, judgeTimeoutMs)
      : await notCompleted(invocation)
    const standing = Object.freeze([...inner, verdict])
    const passed = standing.every(isPass)
    const verdicts = [...(invocation.verdicts ?? []), verdict]
    return Object.freeze({ ...invocation, verdict, verdicts, standing, passed })
  }, agent)
}

/** The task, with the events of tools noted too: the jury sees them, as it sees those of an experiment's agent. */
function recordingTools(task: AgentTask, recorded: ToolEvents): AgentTask {
  return {
    ...task,
    record(event) {
      if (isJournalEvent(event)) recorded.add(event)
      task.record?.(event)
    },
  }
}

export function isPass({ aggregated }: Verdict): boolean {
  return aggregated.status === 'pass'
}

interface Invoked {
  readonly invocation: ExperimentInvocation
  /** The verdicts of juries inside the agent on the final work. */
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

/** The `standing` of a judged agent; `undefined` for others, whose verdicts all count. */
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
  { goal = task.prompt, startedAt, recorded }: { goal: string | undefined; startedAt: string; recorded: ToolEvents },
): JudgmentContext {
  const { output, turns, elapsedMs, failure } = invocation
  const toolSteps = toolStepsOf(invocation, recorded.all())
  const referenceData = sourceTexts(invocation.metadata)
  return judgmentContext({
    goal,
    workspace: task.workspace,
    status: statusOf(invocation),
    startedAt,
    signal: task.signal,
    metadata: { ...invocation.metadata, ...task.metadata, ...factsOf(invocation) },
    ...{ agentOutput: output, turns, toolSteps, executionMs: elapsedMs, failure },
    ...(referenceData.length === 0 ? {} : { referenceData }),
  })
}

/** The verdict of a jury; an error verdict if it throws, takes too long or returns no verdict. */
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
