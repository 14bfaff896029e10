/**
 * The bridge to OpenTelemetry: judgments as events, and votes, model calls and agents as spans.
 *
 * @example
 * import { tracedJury } from 'jurist/otel'
 */
import '@jurist/workspace' // It opens paths in contexts.

export * from '@jurist/bridges/otel'
