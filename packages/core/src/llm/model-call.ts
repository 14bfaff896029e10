import { startTimer } from '@jurist/kit/timers'
import { onAbort } from '../abort-signals.js'
import { askedModel } from '../asking.js'
import type { JudgmentContext } from '../context.js'
import { JuristError } from '../errors.js'
import type { JsonObject } from '../json.js'
import { abortedError } from '../judge.js'
import type { Judgment } from '../judgment.js'
import { assemble } from '../judgment-record.js'
import { type OptionRule, option } from '../options.js'
import type { RenderedPrompt } from './model.js'
import {
  type JudgeModel,
  type JudgeModelResponse,
  type ModelMessage,
  type ModelOptions,
  readResponse,
} from './model.js'

const defaultTimeoutMs = 60_000

export interface ModelCall {
  readonly prompt: RenderedPrompt
  readonly options?: ModelOptions
  /** The fence is added to it. */
  readonly metadata?: JsonObject
  /** The call is given up when the signal of the context fires. */
  readonly context: JudgmentContext
}

/**
 * The request's signal fires with that of the context and after `options.timeoutMs` (default 60,000); then this rejects
 * immediately, whatever the model does.
 *
 * @throws `model-timeout`, `aborted`, `response-invalid`, and the errors of the model
 */
export async function callModel(model: JudgeModel, call: ModelCall): Promise<JudgeModelResponse> {
  const { prompt, metadata, context } = call
  const options = { ...call.options, ...context.judging?.modelOptions }
  const { messages, fence } = prompt
  const all = fence === undefined ? (metadata ?? {}) : { ...metadata, fence }
  const asked = askedModel(model, context)
  return withinTime(options.timeoutMs ?? defaultTimeoutMs, context.signal, async (joined) =>
    readResponse(await asked({ messages, options, metadata: all, signal: joined })),
  )
}

/** The signal of `step` fires with `outer` or when the time is up. */
function withinTime<Value>(
  timeoutMs: number,
  outer: AbortSignal,
  step: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const inner = new AbortController()
    const stop = (reason: unknown, thrown: unknown) => {
      reject(thrown)
      inner.abort(reason)
    }
    const aborted = () => stop(outer.reason, abortedError(outer))
    if (outer.aborted) return aborted()
    const late = () => {
      const thrown = modelTimeout(timeoutMs)
      stop(thrown, thrown)
    }
    const cancel = startTimer(timeoutMs, late)
    const release = onAbort(outer, aborted)
    const settled = () => {
      cancel()
      release()
    }
    inner.signal.addEventListener('abort', settled, { once: true })
    step(inner.signal).then(resolve, reject).finally(settled)
  })
}

function modelTimeout(timeoutMs: number): JuristError<'model-timeout'> {
  return new JuristError(
    'model-timeout',
    `The model did not answer within ${timeoutMs} ms. Give it more time with options.timeoutMs, or ask for less.`,
    { timeoutMs },
  )
}

export const defaultAskAgain = 1
const mostTimes = 10

export const askAgainRule: OptionRule = {
  wants: `a whole number from 0 to ${mostTimes}`,
  holds: (value) => option.integer(0).holds(value) && (value as number) <= mostTimes,
}

export function isUnread({ status, metadata }: Judgment): boolean {
  return status === 'abstain' && typeof metadata['unread'] === 'string'
}

/**
 * Adds a reminder of the form after `times` unreadable answers. The different words give it another `requestKey`, so
 * that no cache and no cassette returns the unreadable answer.
 */
export function promptAgain(prompt: RenderedPrompt, times: number): RenderedPrompt {
  const reminder =
    `${times === 1 ? 'An earlier answer' : `${times} earlier answers`} to this could not be read. ` +
    'Keep exactly to the form that is asked for; quote nothing, and write nothing after the last line of it.'
  const last = prompt.messages.at(-1)
  const more: ModelMessage = { role: 'user', content: reminder }
  const messages =
    last?.role === 'user'
      ? [...prompt.messages.slice(0, -1), { ...last, content: `${last.content}\n\n${reminder}` }]
      : [...prompt.messages, more]
  return { ...prompt, messages }
}

/** `undefined` when a further call fails, so that the existing answer stays. An abort rejects. */
export async function orNothing<Value>(value: Promise<Value>, { signal }: JudgmentContext): Promise<Value | undefined> {
  try {
    return await value
  } catch {
    if (signal.aborted) throw abortedError(signal)
    return undefined
  }
}

export function withAskedAgain(judgment: Judgment, askedAgain: number): Judgment {
  if (askedAgain === 0) return judgment
  return assemble(judgment, { ...judgment, metadata: Object.freeze({ ...judgment.metadata, askedAgain }) })
}
