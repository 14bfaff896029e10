import type { Judge, Jury } from '@jurist/core'
import { completed, type Provision, runExperiment } from '@jurist/experiment'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import type { ResultStore } from '@jurist/experiment/store'
import { localWorkspace } from '@jurist/workspace'
import { readOnly } from '@jurist/workspace/internal'
import type { Decision, Moment } from './clients.js'
import type { HookEvent } from './hook-event.js'
import type { HookSession, Pin } from './hook-session.js'

/** What is judged at a moment of a session. */
export interface Judging {
  readonly moment: Exclude<Moment, 'start'>
  readonly event: HookEvent
  readonly pin: Pin
  readonly name: string
  readonly jury: Jury | Judge
  /** The task, for judges that read it. */
  readonly goal: string | undefined
  readonly timeoutMs: number
  /** Whether judges work in the directory itself. */
  readonly inPlace: boolean
  readonly signal: AbortSignal
}

/** The jury's word on the directory of a session: a run with one trial, which no store has yet. */
export async function judgeSession(judging: Judging): Promise<ExperimentResult> {
  const { moment, event, pin, name, jury, goal, timeoutMs, signal } = judging
  const { client, message } = event
  const run = runExperiment(
    {
      name: 'hook',
      dataset: [{ id: moment, task: goal ?? 'The request of the user, which is not recorded.' }],
      // The agent has worked already: what it leaves is the directory and its last message.
      agent: () => completed(message ?? ''),
      jury,
      provision: directoryOf(judging),
      judgeTimeoutMs: timeoutMs,
      retries: { attempts: 1 },
      journal: false,
      preserveWorkspaces: 'none',
      projectDirectory: pin.project,
      metadata: { session: event.session, client, jury: name, pinnedCommit: pin.commit, pinnedLate: pin.isLate },
    },
    { kind: 'hook', signal },
  )
  return run.result
}

/** The directory itself: a session is judged where it is. A judge that runs commands gets a copy, unless `inPlace` is set. */
function directoryOf({ pin, inPlace }: Judging): Provision {
  return async () => {
    const workspace = localWorkspace(pin.project, inPlace ? { judges: 'in-place' } : {})
    return {
      workspace,
      before: pin.before === null ? null : readOnly(localWorkspace(pin.before)),
      reference: null,
      origin: { kind: 'session' },
      keepAt: async () => undefined,
      [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
    }
  }
}

/**
 * Adds a judgment to the run of its session. Each is a trial: how many of the item `stop` fail says how often the agent was
 * done too early.
 *
 * @throws `store-failed`, `run-locked`
 */
export async function keepJudgment(
  store: ResultStore,
  { runId }: HookSession,
  result: ExperimentResult,
  { kind }: Decision,
): Promise<void> {
  const earlier = await store.load(runId)
  const items = earlier?.items ?? []
  const added = result.items.map((item): ItemResult => {
    const repetition = items.filter(({ itemId }) => itemId === item.itemId).length + 1
    return { ...item, repetition, metadata: { ...item.metadata, decision: kind } }
  })
  const all = [...items, ...added]
  const { startedAt = result.startedAt } = earlier ?? {}
  const durationMs = Date.parse(result.endedAt ?? result.startedAt) - Date.parse(startedAt)
  await store.save({ ...result, id: runId, startedAt, durationMs, planned: all.length, items: all })
}
