import { startTimer } from '@jurist/kit/timers'
import { JuristError } from '../errors.js'
import type { JsonObject } from '../json.js'
import { abortedError } from '../judge.js'
import { onAbort } from '../on-abort.js'
import type { JudgeModel, JudgeModelResponse, ModelOptions } from './model.js'
import type { RenderedPrompt } from './prompt.js'
import { readResponse } from './response.js'

const defaultTimeoutMs = 60_000

/** Everything a call needs beside the model. */
export interface ModelCall {
  readonly prompt: RenderedPrompt
  readonly options?: ModelOptions
  /** Beside the fence, which is added. */
  readonly metadata?: JsonObject
  /** When it fires the call is given up. */
  readonly signal: AbortSignal
}

/**
 * Asks a model once and checks its answer. The request's signal fires with the given one and when
 * `options.timeoutMs` (default 60,000) have passed; then this rejects at once, whatever the model does.
 *
 * @throws `model-timeout`, `aborted`, `response-invalid`, and what the model throws
 */
export async function callModel(model: JudgeModel, call: ModelCall): Promise<JudgeModelResponse> {
  const { prompt, options = {}, metadata, signal } = call
  const { messages, fence } = prompt
  const all = fence === undefined ? (metadata ?? {}) : { ...metadata, fence }
  return withinTime(options.timeoutMs ?? defaultTimeoutMs, signal, async (joined) =>
    readResponse(await model({ messages, options, metadata: all, signal: joined })),
  )
}

/** Runs `step` until it ends, `outer` fires or the time is up; its signal fires in the latter two cases. */
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
