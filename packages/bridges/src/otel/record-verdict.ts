import { effectiveScore, flatten, type Judgment, type Verdict } from '@jurist/core'
import { option } from '@jurist/core/internal'
import {
  checkOtel,
  genAi,
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

export interface EventDetails {
  readonly content: OtelOptions['content'] | undefined
  /** The id of the judged response, for events on another span than that of the run. */
  readonly responseId?: string | undefined
}

export function addJudgment(span: SafeSpan, name: string, judgment: Judgment, details: EventDetails): void {
  span.event(genAi.evaluationResult, attributesOf(name, judgment, details))
}

/** Adds an event for a verdict, then one for each of its judgments, named `tier/judge`. */
export function addVerdict(span: SafeSpan, name: string, verdict: Verdict, details: EventDetails): void {
  for (const { path, judgment } of flatten(verdict))
    addJudgment(span, path === '' ? name : path.slice(1), judgment, details)
}

function attributesOf(
  name: string,
  judgment: Judgment,
  { content = 'explanation', responseId }: EventDetails,
): { readonly [name: string]: OtelAttribute | undefined } {
  const { status, reasoning } = judgment
  const isCategory = judgment.score?.type === 'categorical'
  return {
    [genAi.evaluationName]: name,
    [genAi.evaluationScore]: effectiveScore(judgment),
    [genAi.evaluationLabel]: isCategory ? String(judgment.score?.value) : status,
    [genAi.evaluationExplanation]: content === 'none' ? undefined : reasoning.slice(0, maxExplanation),
    [genAi.responseId]: responseId,
    [genAi.errorType]: status === 'error' ? (judgment.failure.code ?? judgment.failure.name) : undefined,
  }
}

/** The options of `recordVerdict`. */
export interface RecordVerdictOptions extends OtelOptions {
  /** The span of the judged run; it is not ended. Default: a new span `jurist.verdict`. */
  readonly span?: OtelSpan
  /** The id of the judged response, for a new span. */
  readonly responseId?: string
}

/**
 * Records a verdict that exists already, such as a stored one: adds an event for the verdict and for each judgment.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { recordVerdict } from '@jurist/bridges/otel'
 * import { fileExists, jury } from '@jurist/core'
 * import { memoryWorkspace } from '@jurist/core/testing'
 * import { trace } from '@opentelemetry/api'
 *
 * const rules = jury({ judges: { readme: fileExists('README.md') } })
 * const verdict = await rules.vote({ workspace: memoryWorkspace({ 'README.md': 'Hello' }) })
 * recordVerdict(verdict, { tracer: trace.getTracer('jurist') })
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
