/** The value of an attribute. */
export type OtelAttribute = string | number | boolean | string[]

/** What is called of a span of `@opentelemetry/api`. */
export interface OtelSpan {
  setAttribute(name: string, value: OtelAttribute): unknown
  addEvent(name: string, attributes?: { [name: string]: OtelAttribute }): unknown
  setStatus(status: { code: number; message?: string }): unknown
  end(): void
}

/** What is called of a tracer of `@opentelemetry/api`. */
export interface OtelTracer {
  startSpan(name: string, options?: { attributes?: { [name: string]: OtelAttribute } }, context?: never): OtelSpan
}
