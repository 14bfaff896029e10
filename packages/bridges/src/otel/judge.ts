import type { Judge, Judgment, JudgmentContext, Jury, Verdict } from '@jurist/core'
import { error, infoOf, withInfo } from '@jurist/core'
import { failureOf, isPlainObject, judgmentFrom } from '@jurist/core/internal'
import { bridgeFacts } from '../context/run-facts.js'
import { addJudgment, addVerdict } from './record-verdict.js'
import {
  checkOtel,
  isSpan,
  type OtelOptions,
  otelRules,
  quietly,
  type SafeSpan,
  safeSpan,
  startSpan,
  unlessNone,
} from './span.js'

/**
 * Returns the same judge with a trace of its judgments: each becomes an event `gen_ai.evaluation.result` on the span
 * that `parentOf` returns, or else on a new span `jurist.judge <name>`. Context and answer are passed on unchanged; a
 * tracer that throws is ignored.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { tracedJudge } from '@jurist/bridges/otel'
 * import { fileExists, type Judge } from '@jurist/core'
 * import { trace } from '@opentelemetry/api'
 *
 * const readme: Judge = tracedJudge(fileExists('README.md'), 'readme', { tracer: trace.getTracer('jurist') })
 */
export function tracedJudge(judge: Judge, name: string, options: OtelOptions): Judge {
  const checked = checkOtel('tracedJudge', options, otelRules)
  const traced: Judge = async (context) => {
    const { span, place } = open(`jurist.judge ${name}`, context, checked)
    const record = (answer: Judgment | boolean): void => {
      const judgment = judgmentFrom(answer, name)
      addJudgment(place.span, name, judgment, { content: checked.content, responseId: place.responseId })
      if (judgment.status === 'error') span.fail(unlessNone(checked, judgment.reasoning))
    }
    try {
      const answer = await judge(context)
      quietly(() => record(answer))
      return answer
    } catch (thrown) {
      quietly(() => record(error(`${name} threw`, thrown)))
      throw thrown
    } finally {
      span.end()
    }
  }
  return withInfo(traced, infoOf(judge))
}

/**
 * Returns the same jury with a trace of its verdicts: each vote becomes a span `jurist.vote <name>` with the attributes
 * `jurist.aggregation.*`, and an event for the verdict and for each judgment.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { tracedJury } from '@jurist/bridges/otel'
 * import { fileExists, jury } from '@jurist/core'
 * import { trace } from '@opentelemetry/api'
 *
 * const rules = jury({ judges: { readme: fileExists('README.md') } })
 * const traced = tracedJury(rules, 'rules', { tracer: trace.getTracer('jurist') })
 */
export function tracedJury<Name extends string>(jury: Jury<Name>, name: string, options: OtelOptions): Jury<Name> {
  const checked = checkOtel('tracedJury', options, otelRules)
  const vote: Jury<Name>['vote'] = async (input) => {
    const { span, place } = open(`jurist.vote ${name}`, input, checked)
    try {
      const verdict = await jury.vote(input)
      quietly(() => {
        setAggregation(span, verdict)
        addVerdict(place.span, name, verdict, { content: checked.content, responseId: place.responseId })
        if (verdict.aggregated.status === 'error') span.fail(unlessNone(checked, verdict.aggregated.reasoning))
      })
      return verdict
    } catch (thrown) {
      span.fail(unlessNone(checked, failureOf(thrown).message))
      throw thrown
    } finally {
      span.end()
    }
  }
  const judge = async (context: JudgmentContext) => (await vote(context)).aggregated
  const descriptors = Object.getOwnPropertyDescriptors(jury)
  const traced = Object.defineProperties(judge, { ...descriptors, vote: { value: vote, enumerable: true } })
  return traced as unknown as Jury<Name>
}

/** A span for the work, and the span that receives its judgments as events. */
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
  return isPlainObject(metadata) ? bridgeFacts(metadata)?.responseId : undefined
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
