import {
  type Agent,
  type AgentTask,
  type Invocation,
  type Judge,
  type Judgment,
  JuristError,
  type Jury,
  runJudge,
  type Verdict,
  type Workspace,
  type WorkspaceInput,
  type WritableWorkspace,
} from '@jurist/core'
import { isInvocationStatus, isJury, type OptionRule, option, optionInvalid, printed } from '@jurist/core/internal'
import '../errors.js'
import { checkExtras, type RunExtras, runRules } from '../context/extras.js'
import { definedParts } from '../context/outcome.js'
import { thrownOutcome } from '../run/classify-error.js'
import { deadline, withinGrace } from '../run/deadline.js'
import { contextFromInvocation } from './context.js'

/** After its signal has fired, an agent may need time to end its processes. */
const graceMs = 15_000

/**
 * Always returns an invocation: `error` if the agent throws or returns anything else, `timeout` after the time limit,
 * `cancelled` after the caller's abort. Stops waiting for an agent 15 seconds after its signal has fired. Does not call
 * the agent if the signal has already fired.
 *
 * @param signal the caller's signal
 */
export async function invoke(
  agent: Agent,
  task: Omit<AgentTask, 'signal'>,
  signal: AbortSignal | undefined,
): Promise<Invocation> {
  const clock = deadline(signal, task.timeoutMs)
  const start = performance.now()
  try {
    clock.signal.throwIfAborted()
    const invocation = await withinGrace(called(agent, { ...task, signal: clock.signal }), clock.signal, graceMs)
    return { elapsedMs: performance.now() - start, ...invocation }
  } catch (thrown) {
    const { invocation: status, failure } = thrownOutcome(thrown, clock.signal)
    return { status, failure, elapsedMs: performance.now() - start }
  } finally {
    clock.end()
  }
}

async function called(agent: Agent, task: AgentTask): Promise<Invocation> {
  const invocation: Partial<Invocation> | null | undefined = await agent(task)
  if (isInvocationStatus(invocation?.status)) return invocation as Invocation
  const reason = `it must return an invocation with a status (got ${printed(invocation)})`
  throw new JuristError('agent-failed', `The agent returned an invalid value: ${reason}.`, { reason })
}

/** The task, the workspace, and other parts of a context for judges. The goal is the prompt. */
export interface AgentExtras
  extends Omit<RunExtras, 'workspace'>,
    Pick<AgentTask, 'systemPrompt' | 'model' | 'env' | 'runDirectory' | 'record'> {
  readonly workspace: WorkspaceInput<WritableWorkspace>
}

/** Runs an agent once and judges its result. A judge returns a judgment, a jury a verdict. */
export interface EvaluateAgent {
  <Name extends string>(agent: Agent, jury: Jury<Name>, extras: AgentExtras): Promise<Verdict<Name>>
  (agent: Agent, judge: Judge, extras: AgentExtras): Promise<Judgment>
}

const rules: { readonly [name in keyof Required<AgentExtras>]: OptionRule } = {
  ...runRules,
  systemPrompt: option.string,
  model: option.string,
  env: option.record,
  runDirectory: option.string,
  record: option.function,
}

/**
 * Runs an agent once in a workspace and judges the result, without an experiment. The goal is the prompt. An agent that
 * throws or exceeds its time limit is judged too. A judge returns a judgment, a jury a verdict.
 *
 * @throws `option-invalid`, also without a writable workspace; `metadata-reserved`
 *
 * @example
 * import { evaluateAgent } from '@jurist/bridges/agent'
 * import { claudeCommand } from '@jurist/bridges/claude-agent'
 * import { copyOf } from '@jurist/workspace'
 * import { buildSucceeds } from '@jurist/workspace/commands'
 *
 * await using workspace = await copyOf('fixtures/project')
 * const agent = claudeCommand({ environment: { allow: ['ANTHROPIC_API_KEY'] } })
 * const judgment = await evaluateAgent(agent, buildSucceeds.npm('test'), { goal: 'Make the tests pass', workspace })
 */
export const evaluateAgent: EvaluateAgent = evaluate as EvaluateAgent

async function evaluate(agent: Agent, judge: Judge | Jury, extras: AgentExtras): Promise<Judgment | Verdict> {
  const { timeoutMs, systemPrompt, model, env, runDirectory, record, ...given } = checkExtras(
    'evaluateAgent',
    undefined,
    extras,
    rules,
  )
  const kept = { ...given, workspace: writableWorkspace(given.workspace) }
  const startedAt = new Date().toISOString()
  const task = {
    prompt: kept.goal,
    workspace: kept.workspace,
    ...definedParts({ timeoutMs, systemPrompt, model, env, runDirectory, record }),
  }
  const invocation = await invoke(agent, task, kept.signal)
  const context = contextFromInvocation(invocation, { ...kept, startedAt })
  return isJury(judge) ? judge.vote(context) : runJudge(judge, context)
}

function writableWorkspace(given: Workspace | undefined): WritableWorkspace {
  if (typeof (given as Partial<WritableWorkspace> | undefined)?.write === 'function') return given as WritableWorkspace
  const problem = given === undefined ? 'is missing' : 'cannot be written to'
  optionInvalid(
    'workspace',
    `evaluateAgent: "workspace" ${problem}. Pass a writable workspace or a directory, where the agent works.`,
  )
}
