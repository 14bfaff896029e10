import { isObject } from '../context/look.js'
import type { OtelAttribute, OtelSpan, OtelTracer } from './shape.js'

/** A span that never throws, whatever its tracer does. */
export interface SafeSpan {
  /** Sets what is known; `undefined` is not. */
  set(attributes: { readonly [name: string]: OtelAttribute | undefined }): void
  event(name: string, attributes: { readonly [name: string]: OtelAttribute | undefined }): void
  /** Status 2, with up to 2,000 characters of the reason; without one where it must not be told. */
  fail(message: string | undefined): void
  end(): void
  /** The span itself; `undefined` when the tracer threw. */
  readonly span: OtelSpan | undefined
}

const errorStatus = 2
const maxMessage = 2_000

/**
 * Starts a span.
 *
 * @param parent a span whose child it becomes; default: what the tracer takes for the parent
 */
export function startSpan(
  tracer: OtelTracer,
  name: string,
  attributes: { readonly [name: string]: OtelAttribute | undefined },
  parent?: OtelSpan,
): SafeSpan {
  const options = { attributes: known(attributes) }
  const started = quietly(() =>
    parent === undefined
      ? tracer.startSpan(name, options)
      : tracer.startSpan(name, options, contextWith(parent) as never),
  )
  return safeSpan(started)
}

/** A span that somebody else ends. */
export function safeSpan(span: OtelSpan | undefined): SafeSpan {
  return {
    span,
    set(attributes) {
      for (const [name, value] of Object.entries(known(attributes))) quietly(() => span?.setAttribute(name, value))
    },
    event: (name, attributes) => void quietly(() => span?.addEvent(name, known(attributes))),
    fail: (message) => void quietly(() => span?.setStatus(statusOf(message))),
    end: () => void quietly(() => span?.end()),
  }
}

function statusOf(message: string | undefined): { readonly code: number; readonly message?: string } {
  return message === undefined ? { code: errorStatus } : { code: errorStatus, message: message.slice(0, maxMessage) }
}

/** Whether a value can take events. */
export function isSpan(value: unknown): value is OtelSpan {
  return isObject(value) && typeof (value as Partial<OtelSpan>).addEvent === 'function'
}

/** What a call gives; `undefined` when it throws: telling must never change what is told of. */
export function quietly<Value>(call: () => Value): Value | undefined {
  try {
    return call()
  } catch {
    return undefined
  }
}

function known(attributes: { readonly [name: string]: OtelAttribute | undefined }): { [name: string]: OtelAttribute } {
  return Object.fromEntries(
    Object.entries(attributes).filter((entry): entry is [string, OtelAttribute] => entry[1] !== undefined),
  )
}

/** The key under which a context of OpenTelemetry keeps its span: one and the same in every copy of the API. */
const spanKey = Symbol.for('OpenTelemetry Context Key SPAN')

/** A context of OpenTelemetry that holds a span and nothing else. */
function contextWith(span: OtelSpan): object {
  const values = new Map<symbol, unknown>([[spanKey, span]])
  const contextOf = (held: ReadonlyMap<symbol, unknown>): object => ({
    getValue: (key: symbol) => held.get(key),
    setValue: (key: symbol, value: unknown) => contextOf(new Map([...held, [key, value]])),
    deleteValue: (key: symbol) => contextOf(new Map([...held].filter(([other]) => other !== key))),
  })
  return contextOf(values)
}
