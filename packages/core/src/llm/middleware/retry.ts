import { JuristError } from '../../errors.js'
import { freeze } from '../../freeze.js'
import { abortedError } from '../../judge.js'
import { checkOptions, option } from '../../options.js'
import type { JudgeModel } from '../model.js'
import { pause } from './pause.js'
import type { ModelMiddleware } from './wrap-model.js'

export interface RetryOptions {
  /** Calls in all, the first included. Default 3. */
  readonly attempts?: number
  /** The pause before the second attempt. Default 500 ms. */
  readonly baseMs?: number
  /** How much longer each further pause is. Default 2. */
  readonly factor?: number
  /** The longest pause, unless the error asks for a longer one. Default 30,000 ms. */
  readonly maxMs?: number
  /** What is worth another attempt. */
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
 * Asks again when a call fails, after a pause of `baseMs`, which grows by `factor` each time, but never beyond `maxMs`. An
 * error with a number `retryAfterMs` sets the pause itself. The last error is thrown as it is; a response that took more
 * than one attempt says so in `metadata.attempts`.
 *
 * @param options `retryOn` defaults to everything but `aborted`, `budget-exceeded`, `replay-miss`, `option-invalid`, and
 * errors with a number `status` from 400 to 499 other than 408, 409 and 429
 * @throws `option-invalid`
 *
 * @example
 * wrapModel(model, retry({ attempts: 5 }))
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
            : freeze({ ...response, metadata: freeze({ ...response.metadata, attempts: attempt }) })
        } catch (thrown) {
          if (attempt >= attempts || !retryOn(thrown)) throw thrown
          await pause(pauseMs(thrown, attempt, checked), signal)
        }
      }
    }) satisfies JudgeModel
  }
}

const hopeless = ['aborted', 'budget-exceeded', 'replay-miss', 'option-invalid'] as const
const passingStatuses = [408, 409, 429]

/** Whether what was thrown may be different next time. */
function isPassing(thrown: unknown): boolean {
  if (hopeless.some((code) => JuristError.is(thrown, code))) return false
  const { status } = fieldsOf(thrown)
  return typeof status !== 'number' || status < 400 || status > 499 || passingStatuses.includes(status)
}

function pauseMs(thrown: unknown, attempt: number, { baseMs = 500, factor = 2, maxMs = 30_000 }: RetryOptions): number {
  const { retryAfterMs } = fieldsOf(thrown)
  if (typeof retryAfterMs === 'number' && retryAfterMs >= 0) return retryAfterMs
  return Math.min(maxMs, baseMs * factor ** (attempt - 1))
}

function fieldsOf(thrown: unknown): { readonly status?: unknown; readonly retryAfterMs?: unknown } {
  return typeof thrown === 'object' && thrown !== null ? thrown : {}
}
