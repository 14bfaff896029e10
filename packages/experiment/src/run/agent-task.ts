import type { AgentTask, JournalEvent, WritableWorkspace } from '@jurist/core'
import { lateProperty } from '../provision/late-property.js'
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

const workspace = lateProperty<'workspace', WritableWorkspace>('workspace')
const runDirectory = lateProperty<'runDirectory', string>('runDirectory')

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
  if (lent.runDirectory !== null) runDirectory(task, lent.runDirectory)
  return Object.freeze(withSignal(workspace(task, lent.workspace), lent))
}
