import type { JudgmentContext } from '@jurist/core'
import { checkOptions, failureOf, type OptionRule, option, optionInvalid } from '@jurist/core/internal'
import { isObject } from '../context/safe-reader.js'

/**
 * Names of the semantic conventions for generative AI, version 1.37.0. Their stability is "development", so they may still
 * change.
 *
 * Source: https://opentelemetry.io/docs/specs/semconv/gen-ai/
 */
export const genAi = {
  operation: 'gen_ai.operation.name',
  requestModel: 'gen_ai.request.model',
  requestTemperature: 'gen_ai.request.temperature',
  requestMaxTokens: 'gen_ai.request.max_tokens',
  requestSeed: 'gen_ai.request.seed',
  responseModel: 'gen_ai.response.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  agentName: 'gen_ai.agent.name',
  conversationId: 'gen_ai.conversation.id',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  evaluationResult: 'gen_ai.evaluation.result',
  evaluationName: 'gen_ai.evaluation.name',
  evaluationScore: 'gen_ai.evaluation.score.value',
  evaluationLabel: 'gen_ai.evaluation.score.label',
  evaluationExplanation: 'gen_ai.evaluation.explanation',
  errorType: 'error.type',
} as const

/** The value of an attribute. */
export type OtelAttribute = string | number | boolean | string[]

/** The part of a span of `@opentelemetry/api` that the bridge uses. */
export interface OtelSpan {
  setAttribute(name: string, value: OtelAttribute): unknown
  addEvent(name: string, attributes?: { [name: string]: OtelAttribute }): unknown
  setStatus(status: { code: number; message?: string }): unknown
  end(): void
}

/** The part of a tracer of `@opentelemetry/api` that the bridge uses. */
export interface OtelTracer {
  startSpan(name: string, options?: { attributes?: { [name: string]: OtelAttribute } }, context?: never): OtelSpan
}

/** The options of traced judges, juries, models and agents. */
export interface OtelOptions {
  /** The tracer, created with `trace.getTracer(…)` of `@opentelemetry/api`. */
  readonly tracer: OtelTracer
  /**
   * The content that is recorded: `none`; `explanation` (default), the reasoning of judgments up to 2,000 characters; `full`,
   * also messages, and arguments and results of tools.
   */
  readonly content?: 'none' | 'explanation' | 'full'
  /** Returns the span of the agent's run. Judgments become its events. Default: a span for each judge and jury. */
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

/** @throws `option-invalid`, also without a tracer */
export function checkOtel<Options extends OtelOptions>(
  where: string,
  options: Options,
  rules: { readonly [name in keyof Required<Options>]: OptionRule },
): Options {
  const checked = checkOptions(where, options, rules)
  if (checked.tracer === undefined)
    optionInvalid('tracer', `${where}: "tracer" is missing. Pass trace.getTracer('jurist').`)
  return checked
}

/** `undefined` if no content is recorded. */
export function unlessNone({ content }: Pick<OtelOptions, 'content'>, text: string): string | undefined {
  return content === 'none' ? undefined : text
}

export function failSpan(span: SafeSpan, options: Pick<OtelOptions, 'content'>, thrown: unknown): void {
  const { code, name, message } = failureOf(thrown)
  span.set({ [genAi.errorType]: code ?? name })
  span.fail(unlessNone(options, message))
}

/** A span that never throws, whatever its tracer does. */
export interface SafeSpan {
  /** Sets the attributes that are not `undefined`. */
  set(attributes: { readonly [name: string]: OtelAttribute | undefined }): void
  event(name: string, attributes: { readonly [name: string]: OtelAttribute | undefined }): void
  /** Sets the error status, with up to 2,000 characters of the message. */
  fail(message: string | undefined): void
  end(): void
  /** `undefined` if the tracer threw. */
  readonly span: OtelSpan | undefined
}

const errorStatus = 2
const maxMessage = 2_000

/** @param parent the parent span. Default: the tracer's active span */
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

/** Wraps a span, so that its methods do not throw. */
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

export function isSpan(value: unknown): value is OtelSpan {
  return isObject(value) && typeof (value as Partial<OtelSpan>).addEvent === 'function'
}

/** `undefined` if the call throws. Tracing must never change the result of what is traced. */
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

/** The key of the span in a context of OpenTelemetry, the same in all copies of its API. */
const spanKey = Symbol.for('OpenTelemetry Context Key SPAN')

function contextWith(span: OtelSpan): object {
  const values = new Map<symbol, unknown>([[spanKey, span]])
  const contextOf = (held: ReadonlyMap<symbol, unknown>): object => ({
    getValue: (key: symbol) => held.get(key),
    setValue: (key: symbol, value: unknown) => contextOf(new Map([...held, [key, value]])),
    deleteValue: (key: symbol) => contextOf(new Map([...held].filter(([other]) => other !== key))),
  })
  return contextOf(values)
}
