import type { Judge, Judgment, JudgmentContext, Jury, Verdict } from '@jurist/core'
import { runJudge } from '@jurist/core'
import { isJury } from '@jurist/core/internal'
import type { ContextExtras, RunExtras } from '../context/extras.js'
import { checkExtras, runRules } from '../context/extras.js'
import type { RunOutcome } from '../context/outcome.js'
import { contextOf } from '../context/outcome.js'
import { thrownOutcome } from './classify-error.js'
import { deadline, withinGrace } from './deadline.js'

/** Runs a framework once. It should pass the signal on. */
export type Run<Result> = (signal: AbortSignal) => Result | PromiseLike<Result>

/** The context of a run. The result is absent if the run threw or exceeded its time limit. */
export interface Observed<Result> {
  readonly context: JudgmentContext
  readonly result?: Result
}

/** Runs a framework once and returns a context, also when the run fails. Rejects only for invalid extras. */
export type Observe<Result> = (run: Run<Result>, extras: RunExtras) => Promise<Observed<Result>>

/** Runs a framework once and judges the result, also when the run fails. A judge returns a judgment, a jury a verdict. */
export interface Evaluate<Result> {
  <Name extends string>(run: Run<Result>, jury: Jury<Name>, extras: RunExtras): Promise<Verdict<Name>>
  (run: Run<Result>, judge: Judge, extras: RunExtras): Promise<Judgment>
}

/** What differs between the bridges. */
export interface ObserveOptions<Result> {
  /** The name of the function, for messages. */
  readonly name: string
  readonly prefix: string
  readonly contextFrom: (result: Result, extras: ContextExtras) => JudgmentContext
  /** Reads further parts of the framework's errors, such as the usage before the error. */
  readonly readThrown?: (thrown: unknown, warnings: string[]) => Partial<Omit<RunOutcome, 'output'>>
}

/** How long to wait for a run that ignores its signal. */
const graceMs = 1_000

/** The `observe` of a bridge. */
export function observeWith<Result>(options: ObserveOptions<Result>): Observe<Result> {
  const { name, prefix, contextFrom } = options
  return async function observe(run, extras) {
    const { timeoutMs, ...kept } = checkExtras(name, prefix, extras, runRules)
    const clock = deadline(kept.signal, timeoutMs)
    const startedAt = new Date().toISOString()
    const start = performance.now()
    const timed = (): ContextExtras => ({ ...kept, startedAt, executionMs: performance.now() - start })
    let result: Result
    try {
      clock.signal.throwIfAborted()
      result = await withinGrace(started(run, clock.signal), clock.signal, graceMs)
    } catch (thrown) {
      return Object.freeze({ context: contextOf(prefix, failedOutcome(thrown, clock.signal, options), timed()) })
    } finally {
      clock.end()
    }
    return Object.freeze({ context: contextFrom(result, timed()), result })
  }
}

/** The `evaluate` that belongs to an `observe`. */
export function evaluateWith<Result>(observe: Observe<Result>): Evaluate<Result> {
  async function evaluate(run: Run<Result>, judge: Judge | Jury, extras: RunExtras): Promise<Judgment | Verdict> {
    const { context } = await observe(run, extras)
    return isJury(judge) ? judge.vote(context) : runJudge(judge, context)
  }
  return evaluate as Evaluate<Result>
}

async function started<Result>(run: Run<Result>, signal: AbortSignal): Promise<Result> {
  return run(signal)
}

function failedOutcome<Result>(
  thrown: unknown,
  signal: AbortSignal,
  { readThrown }: ObserveOptions<Result>,
): RunOutcome {
  const warnings: string[] = []
  const { status, failure } = thrownOutcome(thrown, signal)
  const more = readThrown?.(thrown, warnings) ?? {}
  return { status, failure, ...more, facts: { ...more.facts, warnings } }
}
