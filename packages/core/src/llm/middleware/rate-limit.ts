import { pause } from '@jurist/kit/retry-pause'
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
  let running = 0
  const line = waitingLine(() => (running >= concurrency ? Infinity : Math.max(requests.waitMs(), tokens.waitMs())))
  return function rateLimit(model) {
    return (async (request) => {
      await line.enter(request.signal, () => {
        running += 1
        requests.add(1)
      })
      try {
        if (shared !== undefined) await taken(shared, request.signal)
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

/** Waits until a permit is available. */
async function taken(shared: SharedLimit, signal: AbortSignal): Promise<void> {
  for (let waitMs = await shared(1); waitMs > 0; waitMs = await shared(1))
    await pause(waitMs, signal).catch(() => {
      throw abortedError(signal)
    })
}

const windowMs = 60_000

/** Counts events of the last 60 s. */
interface SlidingWindow {
  /** The time until the count is below the limit; 0 when it is. */
  waitMs(): number
  add(count: number): void
}

function slidingWindow(limit: number): SlidingWindow {
  const entries: { readonly at: number; readonly count: number }[] = []
  let total = 0

  function dropOld(now: number): void {
    while (entries[0] !== undefined && now - entries[0].at >= windowMs) total -= entries.shift()?.count ?? 0
  }

  return {
    waitMs() {
      if (limit === Infinity) return 0
      const now = performance.now()
      dropOld(now)
      let left = total
      for (const { at, count } of entries) {
        if (left < limit) return 0
        left -= count
        if (left < limit) return at + windowMs - now
      }
      return 0
    },
    add(count) {
      if (limit === Infinity || count === 0) return
      entries.push({ at: performance.now(), count })
      total += count
    },
  }
}

/** First come, first served. */
interface WaitingLine {
  /** Calls `begin` at its turn. Rejects with `aborted` as soon as the signal fires. */
  enter(signal: AbortSignal, begin: () => void): Promise<void>
  /** Checks again who may begin, because a call has ended. */
  move(): void
}

/** Timers may fire a moment early. */
const roundingMs = 1

/**
 * The first may begin when `waitMs` returns 0. After a finite time the line checks again; otherwise it checks when
 * `move` is called. It has no timer while it is empty.
 */
function waitingLine(waitMs: () => number): WaitingLine {
  const waiting = new Set<() => void>()
  let timer: ReturnType<typeof setTimeout> | undefined

  function move(): void {
    clearTimeout(timer)
    timer = undefined
    for (const begin of waiting) {
      const ms = waitMs()
      if (ms > 0) {
        if (ms < Infinity) timer = setTimeout(move, Math.ceil(ms) + roundingMs)
        return
      }
      waiting.delete(begin)
      begin()
    }
  }

  return {
    move,
    enter: (signal, begin) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(abortedError(signal))
        const turn = () => {
          signal.removeEventListener('abort', leave)
          begin()
          resolve()
        }
        const leave = () => {
          waiting.delete(turn)
          reject(abortedError(signal))
          move()
        }
        signal.addEventListener('abort', leave, { once: true })
        waiting.add(turn)
        move()
      }),
  }
}
