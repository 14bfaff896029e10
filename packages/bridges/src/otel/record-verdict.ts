import type { Verdict } from '@jurist/core'
import { option } from '@jurist/core/internal'
import { tellVerdict } from './evaluation.js'
import { checkOtel, type OtelOptions, otelRules } from './options.js'
import type { OtelSpan } from './shape.js'
import { isSpan, safeSpan, startSpan } from './span.js'

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
    tellVerdict(safeSpan(given), 'verdict', verdict, { content })
    return
  }
  const span = startSpan(tracer, 'jurist.verdict', {})
  tellVerdict(span, 'verdict', verdict, { content, responseId })
  if (verdict.aggregated.status === 'error') span.fail(verdict.aggregated.reasoning)
  span.end()
}
