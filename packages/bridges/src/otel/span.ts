import { type JudgmentContext, JuristError } from '@jurist/core'
import { checkOptions, type OptionRule, option } from '@jurist/core/internal'
import { isObject } from '../context/safe-reader.js'

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

/** How much is told, and to whom. */
export interface OtelOptions {
  /** Made with `trace.getTracer(…)` of `@opentelemetry/api`. */
  readonly tracer: OtelTracer
  /**
   * What of the content leaves the process: `none`, `explanation` (default: the reasoning of judgments, up to 2,000
   * characters), `full` (messages, arguments and results of tools too).
   */
  readonly content?: 'none' | 'explanation' | 'full'
  /** The span of the agent's run that a context belongs to: judgments become events of it. */
  parentOf?(context: JudgmentContext): unknown
}

export const otelRules: { readonly [name in keyof Required<OtelOptions>]: OptionRule } = {
  tracer: {
    wants: 'a tracer with a method "startSpan"',
    holds: (value) => typeof (value as Partial<OtelTracer> | null)?.startSpan === 'function',
  },
  content: option.oneOf('none', 'explanation', 'full'),
  parentOf: option.function,
}

/**
 * Checks the options of a traced function.
 *
 * @throws `option-invalid`, also without a tracer
 */
export function checkOtel<Options extends OtelOptions>(
  where: string,
  options: Options,
  rules: { readonly [name in keyof Required<Options>]: OptionRule },
): Options {
  const checked = checkOptions(where, options, rules)
  if (checked.tracer === undefined)
    throw new JuristError('option-invalid', `${where}: give "tracer", as trace.getTracer('jurist') makes one.`, {
      option: 'tracer',
    })
  return checked
}

/** A text that may hold content, unless none of it may leave the process. */
export function unlessNone({ content }: Pick<OtelOptions, 'content'>, text: string): string | undefined {
  return content === 'none' ? undefined : text
}

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
