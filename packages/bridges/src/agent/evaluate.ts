import type { Agent, AgentTask, Judge, Judgment, Jury, Verdict, WritableWorkspace } from '@jurist/core'
import { JuristError, runJudge } from '@jurist/core'
import type { OptionRule } from '@jurist/core/internal'
import { isJury, option } from '@jurist/core/internal'
import type { RunExtras } from '../context/extras.js'
import { checkExtras, runRules } from '../context/extras.js'
import { definedParts } from '../context/outcome.js'
import { contextFromInvocation } from './context.js'
import { invoke } from './invoke.js'

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
