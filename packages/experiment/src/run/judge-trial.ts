import type { JsonObject, JudgmentContext, Jury } from '@jurist/core'
import type { ExperimentInvocation } from '../invocation.js'
import type { Lease } from '../provision/provision.js'
import type { Attempted } from './attempt.js'
import { type SilentContext, silentContext } from './context.js'
import { type Judging, putToVote } from './put-to-vote.js'

/** What a jury is shown. */
export interface Evidence {
  readonly lease: Lease
  readonly invocation: ExperimentInvocation
  /** What hooks gave. */
  readonly metadata: JsonObject
}

/** Puts a trial before the jury, as soon as there is room. */
export async function judgeTrial(attempted: Attempted, jury: Jury, evidence: Evidence): Promise<Judging> {
  const { bench, trial } = attempted
  const { itemId, repetition, item } = trial
  const { judgeTimeoutMs, hooks } = bench.settings
  const { invocation, lease } = evidence
  const askHook = (context: JudgmentContext) => {
    const { signal } = context
    return hooks.beforeJury?.({ item, repetition, workspace: lease.workspace, invocation, context, signal })
  }
  const entered = bench.judging.enter()
  const leave = typeof entered === 'function' ? entered : await entered
  try {
    return await putToVote({
      ...{ tell: bench.tell, classify: bench.classify, stopping: bench.stopping },
      place: { itemId, repetition },
      jury,
      timeoutMs: judgeTimeoutMs,
      context: () => trialContext(attempted, evidence),
      beforeJury: hooks.beforeJury === undefined ? null : askHook,
    })
  } finally {
    leave()
  }
}

function trialContext(
  { bench, trial, number, startedAt }: Attempted,
  { lease, invocation, metadata }: Evidence,
): SilentContext {
  const { settings, runId, knowledge } = bench
  const { item, repetition } = trial
  return silentContext({
    item,
    workspace: lease.workspace,
    before: lease.before,
    reference: lease.reference,
    invocation,
    startedAt,
    metadata: {
      ...metadata,
      ...item.metadata,
      ...settings.metadata,
      experimentName: settings.name,
      runId,
      repetition,
      variant: settings.variant,
      attempt: number,
      ...(knowledge === null ? {} : { knowledge: knowledge.manifest }),
    },
  })
}
