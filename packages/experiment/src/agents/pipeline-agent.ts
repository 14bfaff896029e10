import type { Agent, AgentTask, Failure, Invocation, Phase } from '@jurist/core'
import { checkOptions, failureOf, option, optionInvalid, totalSpent } from '@jurist/core/internal'
import type { Analysis, ExecutionPlan, ExperimentInvocation } from '../invocation.js'
import { changedTask } from '../invocation.js'
import { tokensOf } from '../result/spending.js'

/** An agent in stages: analyse, plan, execute. */
export interface PipelineOptions {
  /** Analyses the task. */
  readonly analyze?: (task: AgentTask) => Promise<Analysis>
  /** Makes a plan, from the analysis if there is one. */
  readonly plan?: (task: AgentTask, analysis: Analysis | null) => Promise<ExecutionPlan>
  /** Does the work. */
  readonly execute: Agent
  /** Milliseconds for each stage before the work. Default: no limit of their own. */
  readonly planTimeoutMs?: number
  /** `continue` (default): a stage that fails is recorded, and the work begins without it; `fail`: the invocation is an error. */
  readonly onStageError?: 'continue' | 'fail'
  /** The prompt for the work. Default: the prompt, then sections for roadmap, recommended tools and analysis. */
  readonly enrich?: (prompt: string, stages: PipelineStages) => string
}

/**
 * An agent that analyses and plans before it works. The cost of the stages is added to the invocation once, as a first phase
 * `planning` and as metadata `pipeline.planningCostUsd`, `pipeline.planningMs`, `pipeline.planningTokens`; failed
 * stages are listed in `pipeline.errors`. Exceptions of `execute` pass through.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { completed, pipelineAgent } from '@jurist/experiment'
 *
 * const agent = pipelineAgent({
 *   plan: async ({ prompt }) => ({ roadmap: `First read what ${prompt} needs.`, recommendedTools: [], knowledgeRead: [] }),
 *   execute: async ({ prompt }) => completed(`done: ${prompt}`),
 * })
 */
export function pipelineAgent(options: PipelineOptions): Agent {
  const { analyze, plan, execute, planTimeoutMs, onStageError = 'continue', enrich = enrichedPrompt } = checked(options)
  return async function pipelineAgent(task): Promise<ExperimentInvocation> {
    if (analyze === undefined && plan === undefined) return execute(task)
    const analysis = analyze === undefined ? noStage : await runStage('analyze', task, planTimeoutMs, analyze)
    const stops = (stage: Stage<object>) => stage.failure !== null && (onStageError === 'fail' || task.signal.aborted)
    const planned =
      plan === undefined || stops(analysis)
        ? noStage
        : await runStage('plan', task, planTimeoutMs, (timed) => plan(timed, analysis.value))
    const planning: Planning = { analysis, plan: planned }
    const failure = stops(analysis) ? analysis.failure : stops(planned) ? planned.failure : null
    if (failure !== null) return withPlanning(stopped(failure, task), planning, 0)
    const startedMs = performance.now()
    const invocation = await execute(taskWith(task, planning, enrich))
    return withPlanning(invocation, planning, performance.now() - startedMs)
  }
}

function checked(options: PipelineOptions): PipelineOptions {
  const known = checkOptions('pipelineAgent', options ?? {}, {
    analyze: option.function,
    plan: option.function,
    execute: option.function,
    planTimeoutMs: option.positive,
    onStageError: option.oneOf('continue', 'fail'),
    enrich: option.function,
  })
  if (known.execute !== undefined) return known
  optionInvalid('execute', 'pipelineAgent: give "execute", the agent that does the work.')
}

interface Planning {
  readonly analysis: Stage<Analysis>
  readonly plan: Stage<ExecutionPlan>
}

function taskWith(task: AgentTask, { analysis, plan }: Planning, enrich: typeof enrichedPrompt): AgentTask {
  if (analysis.value === null && plan.value === null) return task
  const stages = { analysis: analysis.value, plan: plan.value }
  return changedTask(task, {
    prompt: enrich(task.prompt, stages),
    ...(plan.value === null ? {} : { systemPrompt: plannedSystemPrompt(task.systemPrompt) }),
  })
}

function stopped(failure: Failure, { signal }: AgentTask): Invocation {
  return { status: signal.aborted ? 'cancelled' : 'error', failure }
}

/** The invocation with the results, cost and time of the stages. */
function withPlanning(invocation: Invocation, { analysis, plan }: Planning, measuredMs: number): ExperimentInvocation {
  const planningMs = analysis.elapsedMs + (plan.value?.durationMs ?? plan.elapsedMs)
  const phase: Phase = {
    name: 'planning',
    elapsedMs: planningMs,
    ...totalSpent([analysis.value, plan.value]),
    ...(plan.value === null ? {} : { text: plan.value.roadmap }),
  }
  return Object.freeze({
    ...invocation,
    elapsedMs: planningMs + (invocation.elapsedMs ?? measuredMs),
    phases: [phase, ...(invocation.phases ?? [])],
    ...totalSpent([phase, invocation]),
    ...(analysis.value === null ? {} : { analysis: analysis.value }),
    ...(plan.value === null ? {} : { plan: plan.value }),
    metadata: Object.freeze({ ...invocation.metadata, ...planningMetadata({ analysis, plan }, phase) }),
  })
}

function planningMetadata({ analysis, plan }: Planning, phase: Phase): { readonly [key: string]: unknown } {
  const stages = Object.entries({ analyze: analysis.failure, plan: plan.failure })
  const errors = stages.flatMap(([stage, failure]) => (failure === null ? [] : [{ stage, ...failure }]))
  const tokens = tokensOf(phase.usage ?? null)
  return {
    'pipeline.planningMs': phase.elapsedMs,
    'pipeline.planningCostUsd': phase.costUsd,
    ...(tokens === null ? {} : { 'pipeline.planningTokens': tokens }),
    ...(errors.length === 0 ? {} : { 'pipeline.errors': errors }),
  }
}

/** The results of the stages before the work. */
export interface PipelineStages {
  readonly analysis: Analysis | null
  readonly plan: ExecutionPlan | null
}

/** Appends a section to the prompt for the result of each stage. Unchanged if there are no results. */
function enrichedPrompt(prompt: string, { analysis, plan }: PipelineStages): string {
  const sections = [
    ...section('Roadmap', plan?.roadmap ?? ''),
    ...section('Recommended tools', (plan?.recommendedTools ?? []).map((tool) => `- ${tool}`).join('\n')),
    ...section('Analysis', analysis?.summary ?? ''),
  ]
  return [prompt, ...sections].join('\n\n')
}

function section(title: string, text: string): readonly string[] {
  return text.trim() === '' ? [] : [`## ${title}\n\n${text.trim()}`]
}

/** The system prompt for work that has a plan. */
function plannedSystemPrompt(systemPrompt: string | undefined): string {
  const sentence = 'The prompt contains a plan: follow it, and do not plan again.'
  return systemPrompt === undefined || systemPrompt === '' ? sentence : `${systemPrompt}\n\n${sentence}`
}

/** The result of a stage before the work. */
interface Stage<Value> {
  readonly value: Value | null
  readonly failure: Failure | null
  readonly elapsedMs: number
}

/** The result of a stage that the options leave out. */
const noStage: Stage<never> = Object.freeze({ value: null, failure: null, elapsedMs: 0 })

/** Runs a stage within its time limit. A stage that throws, takes too long or returns no object has failed. */
async function runStage<Value extends object>(
  name: string,
  task: AgentTask,
  timeoutMs: number | undefined,
  stage: (task: AgentTask) => Promise<Value>,
): Promise<Stage<Value>> {
  const startedMs = performance.now()
  const ended = () => performance.now() - startedMs
  const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const signal = late === undefined ? task.signal : AbortSignal.any([task.signal, late])
  try {
    const value = await untilAborted(signal, async () => stage(changedTask(task, { signal })))
    if (typeof value !== 'object' || value === null) throw new TypeError(`the stage "${name}" returned no object`)
    return { value, failure: null, elapsedMs: ended() }
  } catch (thrown) {
    const isLate = late?.aborted === true && !task.signal.aborted
    const failure = isLate
      ? { name: 'Timeout', message: `The stage "${name}" did not end within ${timeoutMs} ms.`, code: 'stage-timeout' }
      : failureOf(thrown)
    return { value: null, failure, elapsedMs: ended() }
  }
}

/** The result of the action; rejects as soon as the signal fires. */
async function untilAborted<Value>(signal: AbortSignal, action: () => Promise<Value>): Promise<Value> {
  signal.throwIfAborted()
  return new Promise<Value>((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    action()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop))
  })
}
