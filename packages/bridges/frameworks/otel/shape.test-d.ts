import type { OtelTracer } from '@jurist/bridges/otel'
import { tracedAgent } from '@jurist/bridges/otel'
import type { Span, Tracer } from '@opentelemetry/api'
import { expectTypeOf } from 'vitest'
import type { OtelSpan } from '../../src/otel/span.js'

expectTypeOf<Tracer>().toExtend<OtelTracer>()
expectTypeOf<Span>().toExtend<OtelSpan>()

// @ts-expect-error a tracer can start spans
tracedAgent(() => ({ status: 'completed' }), 'agent', { tracer: {} })
// @ts-expect-error a tracer is required
tracedAgent(() => ({ status: 'completed' }), 'agent', {})
