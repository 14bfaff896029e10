import { JuristError } from '../../errors.js'
import { checkOptions, option } from '../../options.js'
import type { JudgeModel } from '../model.js'
import { slidingWindow } from './sliding-window.js'
import { allTokens } from './tokens.js'
import { waitingLine } from './waiting-line.js'
import type { ModelMiddleware } from './wrap-model.js'

export interface RateLimitOptions {
  /** Requests in any 60 s. */
  readonly rpm?: number
  /** Tokens in any 60 s, input and output. */
  readonly tpm?: number
  /** Calls at once. */
  readonly concurrency?: number
}

const rules = { rpm: option.integer(1), tpm: option.integer(1), concurrency: option.integer(1) }

/**
 * Lets calls begin no faster than a provider allows, first come first served. All models that the returned middleware is
 * put around share its limits. Tokens are known only after a call, from its usage: a call waits while those of the last
 * 60 s have reached `tpm`, and one that is running may go beyond. A wait that is aborted rejects with `aborted` at once.
 *
 * @throws `option-invalid`, also without any limit
 *
 * @example
 * wrapModel(model, retry(), rateLimit({ rpm: 500, tpm: 200_000, concurrency: 20 }))
 */
export function rateLimit(options: RateLimitOptions): ModelMiddleware {
  const { rpm = Infinity, tpm = Infinity, concurrency = Infinity } = checkOptions('rateLimit', options, rules)
  if (![rpm, tpm, concurrency].some(Number.isFinite))
    throw new JuristError('option-invalid', 'rateLimit: give "rpm", "tpm" or "concurrency".', { option: 'rpm' })
  const requests = slidingWindow(rpm)
  const tokens = slidingWindow(tpm)
  let running = 0
  const line = waitingLine(() => (running >= concurrency ? Infinity : Math.max(requests.waitMs(), tokens.waitMs())))
  return function rateLimit(model) {
    return (async (request) => {
      await line.enter(request.signal, () => {
        running += 1
        requests.add(1)
      })
      try {
        const response = await model(request)
        tokens.add(allTokens(response.usage) ?? 0)
        return response
      } finally {
        running -= 1
        line.move()
      }
    }) satisfies JudgeModel
  }
}
