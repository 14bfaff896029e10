import type { Judge, Judgment, JudgmentContext, Jury, Verdict } from '@jurist/core'
import { error, fail, infoOf, pass, withInfo } from '@jurist/core'
import { failureOf, isPlainObject, soon } from '@jurist/core/internal'
import { runFacts } from '../context/run-facts.js'
import { tellJudgment, tellVerdict } from './evaluation.js'
import { checkOtel, type OtelOptions, otelRules, unlessNone } from './options.js'
import { isSpan, type SafeSpan, safeSpan, startSpan } from './span.js'

/**
 * The same judge, whose judgments become events `gen_ai.evaluation.result`: of the span that `parentOf` gives, else of a
 * span `jurist.judge <name>`. It gets the same context and gives the same answer; a tracer that throws is ignored.
 *
 * @throws `option-invalid`
 *
 * @example
 * const traced = tracedJudge(correctness({ model }), 'correct', { tracer: trace.getTracer('jurist') })
 */
export function tracedJudge(judge: Judge, name: string, options: OtelOptions): Judge {
  const checked = checkOtel('tracedJudge', options, otelRules)
  const traced: Judge = (context) => {
    const { span, place } = open(`jurist.judge ${name}`, context, checked)
    const told = (answer: Judgment | boolean): void => {
      const judgment = judgmentOf(answer, name)
      tellJudgment(place.span, name, judgment, { content: checked.content, responseId: place.responseId })
      if (judgment.status === 'error') span.fail(unlessNone(checked, judgment.reasoning))
      span.end()
    }
    return withEnd(
      () => judge(context),
      told,
      (thrown) => told(error(`${name} threw`, thrown)),
    )
  }
  return withInfo(traced, infoOf(judge))
}

/**
 * The same jury, whose verdicts become a span `jurist.vote <name>` with `jurist.aggregation.*`, and an event for the whole
 * and for each judgment.
 *
 * @throws `option-invalid`
 *
 * @example
 * const rules = tracedJury(jury({ judges }), 'rules', { tracer: trace.getTracer('jurist') })
 */
export function tracedJury<Name extends string>(jury: Jury<Name>, name: string, options: OtelOptions): Jury<Name> {
  const checked = checkOtel('tracedJury', options, otelRules)
  const vote: Jury<Name>['vote'] = (input) => {
    const context = input as JudgmentContext
    const { span, place } = open(`jurist.vote ${name}`, context, checked)
    const told = (verdict: Verdict): void => {
      setAggregation(span, verdict)
      tellVerdict(place.span, name, verdict, { content: checked.content, responseId: place.responseId })
      if (verdict.aggregated.status === 'error') span.fail(unlessNone(checked, verdict.aggregated.reasoning))
      span.end()
    }
    const broke = (thrown: unknown): void => {
      span.fail(unlessNone(checked, failureOf(thrown).message))
      span.end()
    }
    return withEnd(() => jury.vote(input), told, broke) as Promise<Verdict<Name>>
  }
  const judge = async (context: JudgmentContext) => (await vote(context)).aggregated
  const descriptors = Object.getOwnPropertyDescriptors(jury)
  const traced = Object.defineProperties(judge, { ...descriptors, vote: { value: vote, enumerable: true } })
  return withInfo(traced as unknown as Jury<Name>, infoOf(jury))
}

/** A span for the work, and the place where its judgments are told. */
function open(name: string, context: unknown, { tracer, parentOf }: OtelOptions) {
  const parent = parentIn(context, parentOf)
  const span = startSpan(tracer, name, {}, parent)
  if (parent !== undefined) return { span, place: { span: safeSpan(parent), responseId: undefined } }
  return { span, place: { span, responseId: responseIdIn(context) } }
}

function parentIn(context: unknown, parentOf: OtelOptions['parentOf']) {
  try {
    const parent = parentOf?.(context as JudgmentContext)
    return isSpan(parent) ? parent : undefined
  } catch {
    return undefined
  }
}

function responseIdIn(context: unknown): string | undefined {
  const metadata = isPlainObject(context) ? context['metadata'] : undefined
  return isPlainObject(metadata) ? runFacts(metadata)?.responseId : undefined
}

function setAggregation(span: SafeSpan, { aggregated, individual, elapsedMs, costUsd }: Verdict): void {
  span.set({
    'jurist.aggregation.status': aggregated.status,
    'jurist.aggregation.score':
      aggregated.score === undefined || aggregated.score.type === 'categorical'
        ? undefined
        : Number(aggregated.score.value),
    'jurist.aggregation.judges': Object.keys(individual).length,
    'jurist.aggregation.elapsed_ms': elapsedMs,
    'jurist.aggregation.cost_usd': costUsd,
  })
}

/** What a judge answered, as a judgment: only to be told. */
function judgmentOf(answer: Judgment | boolean, name: string): Judgment {
  if (answer === true) return pass(`${name} holds`)
  if (answer === false) return fail(`${name} does not hold`)
  return typeof answer?.status === 'string' ? answer : error(`${name} answered with something that is no judgment`)
}

/** Calls something, tells how it ended, and passes its end on: a value as it is, a promise as one. */
function withEnd<Value>(
  call: () => Value | PromiseLike<Value>,
  ended: (value: Value) => void,
  broke: (thrown: unknown) => void,
): Value | Promise<Value> {
  const failed = (thrown: unknown): never => {
    broke(thrown)
    throw thrown
  }
  const done = (value: Value): Value => {
    try {
      ended(value)
    } catch {
      // Telling must never change what was judged.
    }
    return value
  }
  let value: Value | PromiseLike<Value>
  try {
    value = call()
  } catch (thrown) {
    return failed(thrown)
  }
  return soon(value, done, failed)
}
