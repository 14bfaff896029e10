import type { JsonObject, JudgmentContext, Jury } from '@jurist/core'
import type { Soon } from '@jurist/core/internal'
import type { ExperimentInvocation } from '../invocation.js'
import type { Lease } from '../provision/provision.js'
import type { Attempted } from './attempt.js'
import { bareContext } from './context.js'
import { type BareContext, contextWithin } from './lent-signal.js'
import { type Judging, putToVote, type Question } from './put-to-vote.js'

/** What a jury is shown. */
export interface Evidence {
  readonly lease: Lease
  readonly invocation: ExperimentInvocation
  /** What hooks gave. */
  readonly metadata: JsonObject
}

/** Puts a trial before the jury, as soon as there is room. */
export function judgeTrial(attempted: Attempted, jury: Jury, evidence: Evidence): Soon<Judging> {
  const { bench, trial } = attempted
  const { itemId, repetition, item } = trial
  const { judgeTimeoutMs, hooks } = bench.settings
  const { invocation, lease } = evidence
  const askHook = (context: JudgmentContext) => {
    const { signal } = context
    return hooks.beforeJury?.({ item, repetition, workspace: lease.workspace, invocation, context, signal })
  }
  const question: Question = {
    tell: bench.tell,
    classify: bench.classify,
    stopping: bench.stopping,
    place: { itemId, repetition },
    jury,
    timeoutMs: judgeTimeoutMs,
    context: (limit) => contextWithin(trialContext(attempted, evidence), limit, () => lease.workspace),
    beforeJury: hooks.beforeJury === undefined ? null : askHook,
  }
  return bench.judging.pass(() => putToVote(question))
}

function trialContext(
  { bench, trial, number, startedAt }: Attempted,
  { lease, invocation, metadata }: Evidence,
): BareContext {
  const { settings, runId, knowledge } = bench
  const { item, repetition } = trial
  return bareContext({
    item,
    before: lease.before,
    reference: lease.reference,
    invocation,
    startedAt,
    metadata: Object.assign(
      {},
      metadata,
      item.metadata,
      settings.metadata,
      { experimentName: settings.name, runId, repetition, variant: settings.variant, attempt: number },
      knowledge === null ? undefined : { knowledge: knowledge.manifest },
    ),
  })
}
