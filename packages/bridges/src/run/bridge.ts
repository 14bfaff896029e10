import type { Judge, Judgment, JudgmentContext, Jury, Verdict } from '@jurist/core'
import { runJudge } from '@jurist/core'
import { isJury } from '@jurist/core/internal'
import type { ContextExtras, OpenExtras, Rules, RunExtras } from '../context/extras.js'
import { checkExtras, contextRules, runRules } from '../context/extras.js'
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

/** Creates a context from a result of a framework. Throws for invalid extras only, never for a malformed result. */
export type ContextFrom<Result, Extras extends ContextExtras = ContextExtras> = (
  result: Result,
  extras: Extras,
) => JudgmentContext

/** The parts that differ between the bridges. */
export interface BridgeOptions<Result, Extras extends ContextExtras> {
  /** The end of the names of its functions, such as `Mastra` of `contextFromMastra`, for messages. */
  readonly name: string
  /** The prefix of the metadata keys. */
  readonly prefix: string
  /** The extras that only this bridge has. */
  readonly rules?: Rules<Omit<Extras, keyof ContextExtras>>
  readonly read: (result: Result, extras: OpenExtras<Extras>) => RunOutcome
  /** Reads further parts of the framework's errors, such as the usage before the error. */
  readonly readThrown?: (thrown: unknown, warnings: string[]) => Partial<Omit<RunOutcome, 'output'>>
}

export interface Bridge<Result, Extras extends ContextExtras> {
  readonly contextFrom: ContextFrom<Result, Extras>
  readonly observe: Observe<Result>
  readonly evaluate: Evaluate<Result>
}

/** How long to wait for a run that ignores its signal, in milliseconds. */
const graceMs = 1_000

export function bridgeOf<Result, Extras extends ContextExtras = ContextExtras>(
  options: BridgeOptions<Result, Extras>,
): Bridge<Result, Extras> {
  const { name, prefix, read } = options
  const rules = { ...contextRules, ...options.rules } as Rules<Extras>
  function contextFrom(result: Result, extras: Extras): JudgmentContext {
    const checked = checkExtras(`contextFrom${name}`, prefix, extras, rules)
    return contextOf(prefix, read(result, checked), checked)
  }
  async function observe(run: Run<Result>, extras: RunExtras): Promise<Observed<Result>> {
    const { timeoutMs, ...kept } = checkExtras(`observe${name}`, prefix, extras, runRules)
    const clock = deadline(kept.signal, timeoutMs)
    const startedAt = new Date().toISOString()
    const start = performance.now()
    const timed = () => ({ ...kept, startedAt, executionMs: performance.now() - start })
    let result: Result
    try {
      clock.signal.throwIfAborted()
      result = await withinGrace(started(run, clock.signal), clock.signal, graceMs)
    } catch (thrown) {
      return Object.freeze({ context: contextOf(prefix, failedOutcome(thrown, clock.signal, options), timed()) })
    } finally {
      clock.end()
    }
    // A run cannot get the extras that only this bridge has.
    return Object.freeze({ context: contextFrom(result, timed() as ContextExtras as Extras), result })
  }
  async function evaluate(run: Run<Result>, judge: Judge | Jury, extras: RunExtras): Promise<Judgment | Verdict> {
    const { context } = await observe(run, extras)
    return isJury(judge) ? judge.vote(context) : runJudge(judge, context)
  }
  return { contextFrom, observe, evaluate: evaluate as Evaluate<Result> }
}

async function started<Result>(run: Run<Result>, signal: AbortSignal): Promise<Result> {
  return run(signal)
}

export function failedOutcome(
  thrown: unknown,
  signal: AbortSignal,
  { readThrown }: Pick<BridgeOptions<never, never>, 'readThrown'>,
): RunOutcome {
  const warnings: string[] = []
  const { status, failure } = thrownOutcome(thrown, signal)
  const more = readThrown?.(thrown, warnings) ?? {}
  return { status, failure, ...more, facts: { ...more.facts, warnings } }
}
