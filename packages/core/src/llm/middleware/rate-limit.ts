import { pause } from '@jurist/kit/retry-pause'
import { semaphore } from '@jurist/kit/semaphore'
import { abortedError } from '../../judge.js'
import { checkOptions, option, optionInvalid } from '../../options.js'
import type { JudgeModel } from '../model.js'
import { allTokens } from './priced.js'
import type { ModelMiddleware } from './wrap-model.js'

/** Options of `rateLimit`. */
export interface RateLimitOptions {
  /** The limit of requests in any 60 s. */
  readonly rpm?: number
  /** The limit of tokens in any 60 s, input and output. */
  readonly tpm?: number
  /** The limit of calls that run at the same time. */
  readonly concurrency?: number
  /** A limit of requests that several processes share, such as `queue.limiter('anthropic', { perMinute: 4_000 })`. */
  readonly shared?: SharedLimit
}

/**
 * Takes permits that several processes share. Returns the milliseconds to wait before asking again, or 0 when the
 * permits were taken.
 */
export type SharedLimit = (permits: number) => Promise<number>

const rules = {
  ...{ rpm: option.integer(1), tpm: option.integer(1), concurrency: option.integer(1) },
  shared: option.function,
}

/**
 * Starts calls no faster than a provider allows, in the order of the requests. All models wrapped in the returned
 * middleware share its limits. Tokens are known only after a call, from its usage: a call waits while those of the last
 * 60 s have reached `tpm`, and a running one may exceed it. Calls that wait for a shared limit start in no particular
 * order; they fail when it fails. An aborted wait rejects immediately with `aborted`.
 *
 * @throws `option-invalid`, also without any limit
 *
 * @example
 * import { rateLimit, retry, wrapModel } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * wrapModel(scriptedModel('Answer: YES'), retry(), rateLimit({ rpm: 500, tpm: 200_000, concurrency: 20 }))
 */
export function rateLimit(options: RateLimitOptions): ModelMiddleware {
  const { rpm = Infinity, tpm = Infinity, concurrency = Infinity, shared } = checkOptions('rateLimit', options, rules)
  if (shared === undefined && ![rpm, tpm, concurrency].some(Number.isFinite))
    optionInvalid('rpm', 'rateLimit: give "rpm", "tpm", "concurrency" or "shared".')
  const requests = slidingWindow(rpm)
  const tokens = slidingWindow(tpm)
  const places = semaphore(concurrency)
  const line = semaphore(1)
  /** Waits for its turn. What it returns ends it. */
  const begin = async (signal: AbortSignal): Promise<() => void> => {
    let end: (() => void) | undefined
    try {
      end = await places.acquire(signal)
      const next = await line.acquire(signal)
      try {
        const waitMs = () => Math.max(requests.waitMs(), tokens.waitMs())
        for (let ms = waitMs(); ms > 0; ms = waitMs()) await pause(ms, signal)
        requests.add(1)
      } finally {
        next()
      }
      if (shared !== undefined) for (let ms = await shared(1); ms > 0; ms = await shared(1)) await pause(ms, signal)
      return end
    } catch (thrown) {
      end?.()
      throw signal.aborted ? abortedError(signal) : thrown
    }
  }
  return function rateLimit(model) {
    return (async (request) => {
      const end = await begin(request.signal)
      try {
        const response = await model(request)
        tokens.add(allTokens(response.usage) ?? 0)
        return response
      } finally {
        end()
      }
    }) satisfies JudgeModel
  }
}

const windowMs = 60_000

interface SlidingWindow {
  /** 0 when another entry fits. */
  waitMs(): number
  add(count: number): void
}

function slidingWindow(limit: number): SlidingWindow {
  let entries: readonly { readonly at: number; readonly count: number }[] = []
  return {
    waitMs() {
      const now = performance.now()
      entries = entries.filter(({ at }) => now - at < windowMs)
      let left = entries.reduce((total, { count }) => total + count, 0)
      if (left < limit) return 0
      const last = entries.find(({ count }) => {
        left -= count
        return left < limit
      })
      return last === undefined ? 0 : last.at + windowMs - now
    },
    add(count) {
      if (limit !== Infinity && count > 0) entries = [...entries, { at: performance.now(), count }]
    },
  }
}
