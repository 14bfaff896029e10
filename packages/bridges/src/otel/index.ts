/**
 * OpenTelemetry: judgments as events, votes, model calls and agents as spans, by the conventions for generative AI. The
 * tracer is handed in; nothing of OpenTelemetry is loaded here.
 *
 * @example
 * import { tracedAgent, tracedJury } from '@jurist/bridges/otel'
 * import { trace } from '@opentelemetry/api'
 *
 * const tracer = trace.getTracer('jurist')
 * const rules = tracedJury(jury({ judges }), 'rules', { tracer })
 */
import '../errors.js'

export { tracedAgent } from './agent.js'
export { tracedJudge, tracedJury } from './judge.js'
export { tracedModel } from './model.js'
export { type RecordVerdictOptions, recordVerdict } from './record-verdict.js'
export type { OtelAttribute, OtelOptions, OtelSpan, OtelTracer } from './span.js'
