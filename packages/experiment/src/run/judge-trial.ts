import {
  type Failure,
  failureOf,
  flatten,
  type JsonObject,
  type JudgmentContext,
  JuristError,
  type Jury,
  type Verdict,
  verdictFromJson,
} from '@jurist/core'
import type { ExperimentInvocation } from '../agents/invocation.js'
import type { Lease } from '../provision/provision.js'
import type { ItemFailure, JudgedOutcome } from '../result/records.js'
import type { Attempted } from './attempt.js'
import { contextOf } from './context.js'
import { type Cut, limited } from './limited.js'

/** What judging a trial came to. */
export interface Judging {
  readonly judged: JudgedOutcome
  readonly verdict: Verdict | null
  readonly failure: ItemFailure | null
  /** Whether the run was stopped before the jury had ended. */
  readonly cancelled: boolean
  readonly juryMs: number
}

/** A trial that no jury saw. */
export const notJudged: Judging = Object.freeze({
  judged: 'not-judged',
  verdict: null,
  failure: null,
  cancelled: false,
  juryMs: 0,
})

/** What a jury is shown. */
export interface Evidence {
  readonly lease: Lease
  readonly invocation: ExperimentInvocation
  /** What hooks gave. */
  readonly metadata: JsonObject
}

/** Puts a trial before the jury. A jury that throws, or takes too long, makes the trial undecided: judged `error`. */
export async function judgeTrial(attempted: Attempted, jury: Jury, evidence: Evidence): Promise<Judging> {
  const { bench } = attempted
  const leave = await bench.judging.enter()
  try {
    return await vote(attempted, jury, evidence)
  } finally {
    leave()
  }
}

async function vote(attempted: Attempted, jury: Jury, evidence: Evidence): Promise<Judging> {
  const { bench, trial } = attempted
  const { judgeTimeoutMs, hooks } = bench.settings
  const { itemId, repetition, item } = trial
  bench.tell({ type: 'item-phase', itemId, repetition, phase: 'jury' })
  const startedMs = performance.now()
  const late = `The jury did not end within ${judgeTimeoutMs} ms.`
  let origin: ItemFailure['origin'] = 'jury'
  const ended = await limited({ stopping: bench.stopping, timeoutMs: judgeTimeoutMs, late }, async (limit) => {
    const signal = limit.signal()
    let context = trialContext(attempted, evidence, signal)
    if (hooks.beforeJury !== undefined) {
      origin = 'hook'
      const { invocation, lease } = evidence
      const stage = { item, repetition, workspace: lease.workspace, invocation, context, signal }
      context = (await hooks.beforeJury(stage)) ?? context
      origin = 'jury'
    }
    return verdictFromJson(await jury.vote(context))
  })
  const juryMs = performance.now() - startedMs
  if (ended.type === 'value') return judgedBy(attempted, ended.value, juryMs)
  const cancelled = ended.cut?.by === 'stop'
  const failure = ended.type === 'thrown' ? failureOf(ended.thrown) : cutFailure(ended.cut, late, judgeTimeoutMs)
  return { judged: 'error', verdict: null, failure: bench.classify(failure, origin), cancelled, juryMs }
}

function judgedBy({ bench, trial }: Attempted, verdict: Verdict, juryMs: number): Judging {
  const { itemId, repetition } = trial
  for (const { path, judgment } of flatten(verdict))
    bench.tell({ type: 'judgment', itemId, repetition, path, judgment })
  const { aggregated } = verdict
  const failure = aggregated.status === 'error' ? bench.classify(aggregated.failure, 'jury') : null
  return { judged: aggregated.status, verdict, failure, cancelled: false, juryMs }
}

function cutFailure(cut: Cut | null, late: string, timeoutMs: number): Failure {
  if (cut?.by === 'stop') return { name: 'Cancelled', message: cut.message, code: 'cancelled' }
  return failureOf(new JuristError('judge-timeout', `${late} Give it more time, or less to do.`, { timeoutMs }))
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
