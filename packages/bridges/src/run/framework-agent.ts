import type { Agent, AgentTask, Usage } from '@jurist/core'
import type { Prices } from '../context/cost.js'
import { costOf } from '../context/cost.js'
import type { RunOutcome } from '../context/outcome.js'
import { failedOutcome } from './bridge.js'
import { invocationOf, toolResultOf } from './invocation.js'
import type { WriteJournal } from './journal.js'
import { journalFor } from './journal.js'
import { secretsIn } from './secrets.js'

/** For the journal. */
interface RunStep {
  readonly model?: string | undefined
  readonly provider?: string | undefined
  readonly usage?: Usage | undefined
  readonly finishReason?: string | undefined
  readonly text?: string | undefined
}

/** The outcome, and the steps for the journal. */
export interface FrameworkReading {
  readonly outcome: RunOutcome
  /** In order. The journal lists each tool execution after the step that called it. */
  readonly steps: readonly RunStep[]
}

export interface FrameworkAgentOptions<Result> {
  /** The name of the function that creates the agent. */
  readonly name: string
  /** The prefix of the metadata keys. */
  readonly prefix: string
  readonly call: (task: AgentTask) => PromiseLike<Result>
  readonly read: (result: Result) => FrameworkReading
  /** Reads further parts of the framework's errors, such as the usage before the error. */
  readonly readThrown?: (thrown: unknown, warnings: string[]) => Partial<RunOutcome>
  readonly prices?: Prices | undefined
}

/** Measures the time, catches errors, reads the result and writes the journal. */
export function frameworkAgent<Result>(options: FrameworkAgentOptions<Result>): Agent {
  const { name, prefix, prices } = options
  const agent: Agent = async (task) => {
    const start = performance.now()
    const warnings: string[] = []
    const secrets = secretsIn(task.env)
    const write = journalFor({ record: task.record, secrets, warnings })
    const { outcome, steps } = await readingOf(options, task, write)
    for (const [index, step] of steps.entries()) writeStep(write, step, index, outcome)
    write({ type: 'state', state: 'finished' })
    const whole = withCost(outcome, prices, warnings)
    return invocationOf(whole, { prefix, prompt: task.prompt, elapsedMs: performance.now() - start, secrets })
  }
  return Object.defineProperty(agent, 'name', { value: name })
}

async function readingOf<Result>(
  { call, read, readThrown }: FrameworkAgentOptions<Result>,
  task: AgentTask,
  write: WriteJournal,
): Promise<FrameworkReading> {
  let result: Result
  try {
    task.signal.throwIfAborted()
    write({ type: 'state', state: 'started' })
    write({ type: 'prompt', text: task.prompt })
    result = await call(task)
  } catch (thrown) {
    return { outcome: failedOutcome(thrown, task.signal, { readThrown }), steps: [] }
  }
  return read(result)
}

/** Also adds the warnings that were added after the outcome was read. */
function withCost(outcome: RunOutcome, prices: Prices | undefined, warnings: string[]): RunOutcome {
  const { costUsd, model, usage } = outcome.facts
  const cost = costUsd === undefined ? costOf({ model, usage }, prices, warnings) : {}
  return {
    ...outcome,
    facts: { ...outcome.facts, ...cost, warnings: [...(outcome.facts.warnings ?? []), ...warnings] },
  }
}

function writeStep(write: WriteJournal, step: RunStep, index: number, { facts }: RunOutcome): void {
  const { model = 'unknown', provider, usage, finishReason, text = '' } = step
  write({
    type: 'model-call',
    model,
    provider,
    usage,
    finishReason,
  })
  if (text !== '') write({ type: 'text', text })
  const executions = (facts.toolExecutions ?? []).filter((execution) => execution.step === index)
  for (const { id, name, input } of executions) write({ type: 'tool-call', id, name, input })
  for (const execution of executions) {
    const result = toolResultOf(execution)
    if (result === undefined) continue
    const { toolUseId: id, failed, content } = result
    write({
      type: 'tool-result',
      id,
      failed,
      content,
      elapsedMs: execution.elapsedMs,
    })
  }
}
