/**
 * OpenTelemetry: judgments as events, votes, model calls and agents as spans.
 *
 * @example
 * import { tracedJury } from 'jurist/otel'
 */
export * from '@jurist/bridges/otel'
