import type { JsonObject, JudgmentContext, Jury } from '@jurist/core'
import type { ExperimentInvocation } from '../invocation.js'
import type { Lease } from '../provision/provision.js'
import type { Attempted } from './attempt.js'
import { contextOf } from './context.js'
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
  const leave = await bench.judging.enter()
  try {
    return await putToVote({
      ...{ tell: bench.tell, classify: bench.classify, stopping: bench.stopping },
      place: { itemId, repetition },
      jury,
      timeoutMs: judgeTimeoutMs,
      context: (signal) => trialContext(attempted, evidence, signal),
      beforeJury: hooks.beforeJury === undefined ? null : askHook,
    })
  } finally {
    leave()
  }
}

function trialContext(
  { bench, trial, number, startedAt }: Attempted,
  { lease, invocation, metadata }: Evidence,
  signal: AbortSignal,
): JudgmentContext {
  const { settings, runId, knowledge } = bench
  const { item, repetition } = trial
  return contextOf({
    item,
    workspace: lease.workspace,
    before: lease.before,
    reference: lease.reference,
    invocation,
    startedAt,
    signal,
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
