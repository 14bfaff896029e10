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
  type WritableWorkspace,
} from '@jurist/core'
import { isJury, type OptionRule, option, printed } from '@jurist/core/internal'
import '../errors.js'
import { checkExtras, type RunExtras, runRules } from '../context/extras.js'
import { definedParts } from '../context/outcome.js'
import { thrownOutcome } from '../run/classify-error.js'
import { deadline, withinGrace } from '../run/deadline.js'
import { contextFromInvocation } from './context.js'

/** An agent may have processes to end after its signal fired; then it is given up. */
const graceMs = 15_000

/**
 * Calls an agent once and always answers with an invocation: what it throws, or gives that is no
 * invocation, is an error, a deadline a timeout, the
 * caller's abort is cancelled. An agent that ignores its signal is given up 15 seconds after it fired. Not called at all
 * when the signal has fired before.
 *
 * @param signal the caller's
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

const statuses: ReadonlySet<unknown> = new Set<Invocation['status']>([
  ...(['completed', 'refused', 'timeout', 'error', 'cancelled'] as const),
])

async function called(agent: Agent, task: AgentTask): Promise<Invocation> {
  const invocation: Partial<Invocation> | null | undefined = await agent(task)
  if (statuses.has(invocation?.status)) return invocation as Invocation
  const reason = `it gave no invocation with a status, but ${printed(invocation)}`
  throw new JuristError('agent-failed', `The agent cannot be understood: ${reason}.`, { reason })
}

/** What to do, where, and what else a judge may look at. The goal is the prompt. */
export interface AgentExtras
  extends Omit<RunExtras, 'workspace'>,
    Pick<AgentTask, 'systemPrompt' | 'model' | 'env' | 'runDirectory' | 'record'> {
  readonly workspace: WritableWorkspace
}

/** Runs an agent once and judges what became of it, a failure too. */
export interface EvaluateAgent {
  <Name extends string>(agent: Agent, jury: Jury<Name>, extras: AgentExtras): Promise<Verdict<Name>>
  (agent: Agent, judge: Judge, extras: AgentExtras): Promise<Judgment>
}

const rules: { readonly [name in keyof Required<AgentExtras>]: OptionRule } = {
  ...runRules,
  workspace: {
    wants: 'a writable workspace',
    holds: (value) => typeof (value as AgentWorkspace)?.write === 'function',
  },
  systemPrompt: option.string,
  model: option.string,
  env: option.record,
  runDirectory: option.string,
  record: option.function,
}
type AgentWorkspace = Partial<WritableWorkspace> | undefined

/**
 * Runs an agent once in a workspace and judges what it left there: one line without an experiment. The goal is the
 * prompt. An agent that throws or takes too long is judged too.
 *
 * @throws `option-invalid`, also without a writable workspace; `metadata-reserved`
 *
 * @example
 * await using workspace = await copyOf('fixtures/project')
 * const judgment = await evaluateAgent(agent, buildSucceeds.npm('test'), { goal: 'Make the tests pass', workspace })
 */
export const evaluateAgent: EvaluateAgent = evaluate as EvaluateAgent

async function evaluate(agent: Agent, judge: Judge | Jury, extras: AgentExtras): Promise<Judgment | Verdict> {
  const { timeoutMs, systemPrompt, model, env, runDirectory, record, ...kept } = checkedExtras(extras)
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

function checkedExtras(extras: AgentExtras): AgentExtras {
  const checked = checkExtras('evaluateAgent', undefined, extras, rules)
  if (checked.workspace !== undefined) return checked
  throw new JuristError('option-invalid', 'evaluateAgent: give "workspace", a writable one for the agent to work in.', {
    option: 'workspace',
  })
}
