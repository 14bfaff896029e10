/**
 * OpenTelemetry: judgments as events; votes, model calls and agents as spans, by the semantic conventions for generative AI.
 * You pass the tracer; this door does not load OpenTelemetry.
 *
 * @example
 * import { tracedJury } from '@jurist/bridges/otel'
 * import { fileExists, jury } from '@jurist/core'
 * import { trace } from '@opentelemetry/api'
 *
 * const tracer = trace.getTracer('jurist')
 * const rules = tracedJury(jury({ judges: { readme: fileExists('README.md') } }), 'rules', { tracer })
 */
import '../errors.js'

export { tracedAgent } from './agent.js'
export { tracedJudge, tracedJury } from './judge.js'
export { tracedModel } from './model.js'
export { type RecordVerdictOptions, recordVerdict } from './record-verdict.js'
export type { OtelAttribute, OtelOptions, OtelSpan, OtelTracer } from './span.js'
