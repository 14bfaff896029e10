import type { AgentTask, JournalEvent, WritableWorkspace } from '@jurist/core'
import type { Attempt } from './attempt.js'
import { withSignal } from './lent-signal.js'

/** What an agent is lent with its task; each is made when the agent asks for it. */
export interface Loan {
  readonly workspace: () => WritableWorkspace
  readonly signal: () => AbortSignal
  /** `null`: the task has no such directory. */
  readonly runDirectory: (() => string) | null
  readonly record: (event: JournalEvent) => void
}

const loan = Symbol('loan')
type Lent = { readonly [loan]: Loan }

// The same getters for every task. A getter of its own, as in `{ get signal() {…} }`, gives each object a hidden class of its
// own; these are born old, and keep everything their getters can see alive until the next full garbage collection.
const workspace = {
  enumerable: true,
  get(this: Lent) {
    return this[loan].workspace()
  },
}
const runDirectory = {
  enumerable: true,
  get(this: Lent) {
    return this[loan].runDirectory?.()
  },
}

/** The task of an attempt. */
export function agentTask({ bench, trial, number }: Attempt, lent: Loan): AgentTask {
  const { settings, runId, env } = bench
  const { systemPrompt, model, itemTimeoutMs, name, variant } = settings
  const task: { -readonly [key in 'systemPrompt' | 'model']?: string } & Omit<AgentTask, 'workspace' | 'signal'> = {
    prompt: trial.prompt,
    timeoutMs: itemTimeoutMs,
    env,
    metadata: Object.freeze({
      experimentName: name,
      runId,
      itemId: trial.itemId,
      itemSlug: trial.item.slug,
      repetition: trial.repetition,
      variant,
      attempt: number,
    }),
    record: lent.record,
  }
  if (systemPrompt !== null) task.systemPrompt = systemPrompt
  if (model !== null) task.model = model
  Object.defineProperty(task, loan, { value: lent })
  Object.defineProperty(task, 'workspace', workspace)
  if (lent.runDirectory !== null) Object.defineProperty(task, 'runDirectory', runDirectory)
  return Object.freeze(withSignal(task, lent)) as AgentTask
}
