import { effectiveScore, flatten, type Judgment, type Verdict } from '@jurist/core'
import { option } from '@jurist/core/internal'
import { genAi } from './conventions.js'
import {
  checkOtel,
  isSpan,
  type OtelAttribute,
  type OtelOptions,
  type OtelSpan,
  otelRules,
  type SafeSpan,
  safeSpan,
  startSpan,
} from './span.js'

const maxExplanation = 2_000

/** What an evaluation is told with. */
export interface Told {
  readonly content: OtelOptions['content'] | undefined
  /** The response that was judged, where the event stands on another span than that of its run. */
  readonly responseId?: string | undefined
}

/** Tells a judgment as an event. */
export function addJudgment(span: SafeSpan, name: string, judgment: Judgment, told: Told): void {
  span.event(genAi.evaluationResult, attributesOf(name, judgment, told))
}

/** Tells every judgment of a verdict, the whole first: parts are named `tier/judge`. */
export function addVerdict(span: SafeSpan, name: string, verdict: Verdict, told: Told): void {
  for (const { path, judgment } of flatten(verdict))
    addJudgment(span, path === '' ? name : path.slice(1), judgment, told)
}

function attributesOf(
  name: string,
  judgment: Judgment,
  { content = 'explanation', responseId }: Told,
): { readonly [name: string]: OtelAttribute | undefined } {
  const { status, reasoning } = judgment
  const isCategory = 'score' in judgment && judgment.score?.type === 'categorical'
  return {
    [genAi.evaluationName]: name,
    [genAi.evaluationScore]: effectiveScore(judgment),
    [genAi.evaluationLabel]: isCategory ? String(judgment.score?.value) : status,
    [genAi.evaluationExplanation]: content === 'none' ? undefined : reasoning.slice(0, maxExplanation),
    [genAi.responseId]: responseId,
    [genAi.errorType]: status === 'error' ? (judgment.failure.code ?? judgment.failure.name) : undefined,
  }
}

/** Where a verdict is told. */
export interface RecordVerdictOptions extends OtelOptions {
  /** The span of the run that was judged; it is not ended here. Default: a new one, `jurist.verdict`. */
  readonly span?: OtelSpan
  /** The response that was judged; told only on a new span. */
  readonly responseId?: string
}

/**
 * Tells a verdict that was reached before, such as a stored one: an event for the whole and for each judgment.
 *
 * @throws `option-invalid`
 *
 * @example
 * recordVerdict(item.verdict, { tracer: trace.getTracer('jurist'), span })
 */
export function recordVerdict(verdict: Verdict, options: RecordVerdictOptions): void {
  const spanRule = { wants: 'a span', holds: isSpan }
  const rules = { ...otelRules, span: spanRule, responseId: option.string }
  const checked = checkOtel('recordVerdict', options, rules)
  const { tracer, content, span: given, responseId } = checked
  if (given !== undefined) {
    addVerdict(safeSpan(given), 'verdict', verdict, { content })
    return
  }
  const span = startSpan(tracer, 'jurist.verdict', {})
  addVerdict(span, 'verdict', verdict, { content, responseId })
  if (verdict.aggregated.status === 'error') span.fail(verdict.aggregated.reasoning)
  span.end()
}
