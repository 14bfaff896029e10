import { isRetryableStatus, pause, retryPauseMs } from '@jurist/kit/retry-pause'
import { JuristError } from '../../errors.js'
import { abortedError } from '../../judge.js'
import { checkOptions, option } from '../../options.js'
import type { JudgeModel } from '../model.js'
import type { ModelMiddleware } from './wrap-model.js'

/** Options of `retry`. */
export interface RetryOptions {
  /** The number of calls, including the first. Default 3. */
  readonly attempts?: number
  /** The longest pause before the second attempt, in milliseconds. Default 500. */
  readonly baseMs?: number
  /** The factor by which each further pause may be longer. Default 2. */
  readonly factor?: number
  /** The longest pause in milliseconds, unless the error asks for a longer one. Default 30,000. */
  readonly maxMs?: number
  /** Whether an error is worth another attempt. */
  readonly retryOn?: (thrown: unknown) => boolean
}

const rules = {
  attempts: option.integer(1),
  baseMs: option.nonNegative,
  factor: {
    wants: 'a finite number of at least 1',
    holds: (value: unknown) => Number.isFinite(value) && (value as number) >= 1,
  },
  maxMs: option.nonNegative,
  retryOn: option.function,
}

/**
 * Returns a middleware that asks again when a call fails, after a random part of `baseMs`, which grows by `factor` each
 * time up to `maxMs`. An error with a number `retryAfterMs` sets the pause itself. The last error is thrown unchanged;
 * a response that took more than one attempt has the number in `metadata.attempts`.
 *
 * @param options `retryOn` defaults to everything but `aborted`, `budget-exceeded`, `replay-miss`, `option-invalid`,
 * and errors with a number `status` from 400 to 499 other than 408, 409, 425 and 429
 * @throws `option-invalid`
 *
 * @example
 * import { retry, wrapModel } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * wrapModel(scriptedModel(new Error('overloaded'), 'Answer: YES'), retry({ attempts: 5 }))
 */
export function retry(options?: RetryOptions): ModelMiddleware {
  const checked = checkOptions('retry', options, rules)
  const { attempts = 3, retryOn = isPassing } = checked
  return function retry(model) {
    return (async (request) => {
      const { signal } = request
      for (let attempt = 1; ; attempt += 1) {
        if (signal.aborted) throw abortedError(signal)
        try {
          const response = await model(request)
          return attempt === 1
            ? response
            : Object.freeze({ ...response, metadata: Object.freeze({ ...response.metadata, attempts: attempt }) })
        } catch (thrown) {
          if (attempt >= attempts || !retryOn(thrown)) throw thrown
          await pause(pauseMs(thrown, attempt, checked), signal).catch(() => {
            throw abortedError(signal)
          })
        }
      }
    }) satisfies JudgeModel
  }
}

const hopeless = ['aborted', 'budget-exceeded', 'replay-miss', 'option-invalid'] as const

function isPassing(thrown: unknown): boolean {
  if (hopeless.some((code) => JuristError.is(thrown, code))) return false
  const { status } = fieldsOf(thrown)
  return typeof status !== 'number' || status < 400 || isRetryableStatus(status)
}

function pauseMs(thrown: unknown, attempt: number, { baseMs = 500, factor, maxMs = 30_000 }: RetryOptions): number {
  const { retryAfterMs } = fieldsOf(thrown)
  const asked = typeof retryAfterMs === 'number' && retryAfterMs >= 0 ? retryAfterMs : undefined
  return retryPauseMs(attempt, { baseMs, factor, maxMs }, asked)
}

function fieldsOf(thrown: unknown): { readonly status?: unknown; readonly retryAfterMs?: unknown } {
  return typeof thrown === 'object' && thrown !== null ? thrown : {}
}
