import {
  type Failure,
  flatten,
  type JudgmentContext,
  JuristError,
  type Jury,
  type Verdict,
  verdictFromJson,
} from '@jurist/core'
import { failureOf, type Soon, soon, voteOn } from '@jurist/core/internal'
import type { ItemFailure, JudgedOutcome } from '../result/records.js'
import type { Bench } from './bench.js'
import type { TrialPlace } from './events.js'
import { type Cut, type Limit, limited } from './limited.js'

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

/** What a jury is asked, and within which limits. */
export interface Question extends Pick<Bench, 'tell' | 'classify' | 'stopping'> {
  readonly place: TrialPlace
  readonly jury: Jury
  readonly timeoutMs: number
  /** The context within the limit of judging. */
  readonly context: (limit: Limit) => JudgmentContext
  /** May replace the context. `null`: there is no such hook. */
  readonly beforeJury: ((context: JudgmentContext) => ReplacedContext | Promise<ReplacedContext>) | null
}

/** What a hook may give in place of the context. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook without a return statement returns void.
type ReplacedContext = JudgmentContext | void

/** Asks a jury. One that throws, or takes too long, leaves the trial undecided: judged `error`. */
export function putToVote(question: Question): Soon<Judging> {
  const { place, jury, timeoutMs, stopping, beforeJury } = question
  question.tell({ type: 'item-phase', ...place, phase: 'jury' })
  const startedMs = performance.now()
  const late = `The jury did not end within ${timeoutMs} ms.`
  let origin: ItemFailure['origin'] = 'jury'
  const ended = limited({ stopping, timeoutMs, startedMs, late }, (limit) => {
    const context = question.context(limit)
    if (beforeJury === null) return verdictOf(jury, context)
    origin = 'hook'
    return soon(beforeJury(context), (replaced) => {
      origin = 'jury'
      return verdictOf(jury, replaced ?? context)
    })
  })
  return soon(ended, (ended) => {
    const juryMs = performance.now() - startedMs
    if (ended.type === 'value') return judgedBy(question, ended.value, juryMs)
    const cancelled = ended.cut?.by === 'stop'
    const failure = ended.type === 'thrown' ? failureOf(ended.thrown) : cutFailure(ended.cut, late, timeoutMs)
    return { judged: 'error', verdict: null, failure: question.classify(failure, origin), cancelled, juryMs }
  })
}

function verdictOf(jury: Jury, context: JudgmentContext): Soon<Verdict> {
  return soon(voteOn(jury, context), verdictFromJson)
}

function judgedBy({ place, tell, classify }: Question, verdict: Verdict, juryMs: number): Judging {
  for (const { path, judgment } of flatten(verdict)) tell({ type: 'judgment', ...place, path, judgment })
  const { aggregated } = verdict
  const failure = aggregated.status === 'error' ? classify(aggregated.failure, 'jury') : null
  return { judged: aggregated.status, verdict, failure, cancelled: false, juryMs }
}

function cutFailure(cut: Cut | null, late: string, timeoutMs: number): Failure {
  if (cut?.by === 'stop') return { name: 'Cancelled', message: cut.message, code: 'cancelled' }
  return failureOf(new JuristError('judge-timeout', `${late} Give it more time, or less to do.`, { timeoutMs }))
}
