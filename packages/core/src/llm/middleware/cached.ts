import { builtinModule } from '../../builtin-module.js'
import { canonicalJson, isPlainObject } from '../../json.js'
import { abortedError, untilAborted } from '../../judge.js'
import { checkOptions, option } from '../../options.js'
import type { JudgeModel, JudgeModelRequest, JudgeModelResponse, ModelMessage } from '../model.js'
import type { ModelMiddleware } from './wrap-model.js'

/** Whether the cost of the answer was counted for another caller. */
interface SharedAnswer {
  readonly hit: boolean
  readonly response: JudgeModelResponse
}

/** The request represents all requests with this key. */
type AnswerOnce = (request: JudgeModelRequest, key: string) => Promise<SharedAnswer>

interface Call {
  readonly answer: Promise<SharedAnswer>
  readonly abort: AbortController
  waiting: number
  /** Whether the cost was counted for a caller. */
  paid: boolean
}

/**
 * Concurrent equal requests share one call, which continues as long as one of them waits. The first caller that gets
 * the answer counts its cost; for the others it is a cache hit, so that no cost counts twice.
 */
function sharedCalls(
  answerOnce: AnswerOnce,
): (request: JudgeModelRequest, keyOf: (request: JudgeModelRequest) => Promise<string>) => Promise<SharedAnswer> {
  const calls = new Map<string, Call>()

  function begin(request: JudgeModelRequest, key: string): Call {
    const abort = new AbortController()
    const answer = answerOnce({ ...request, signal: abort.signal }, key).finally(() => forget(key, call))
    const call: Call = { answer, abort, waiting: 0, paid: false }
    calls.set(key, call)
    return call
  }

  function forget(key: string, call: Call): void {
    if (calls.get(key) === call) calls.delete(key)
  }

  return async function share(request, keyOf) {
    const { signal } = request
    if (signal.aborted) throw abortedError(signal)
    const key = await untilAborted(keyOf(request), request.signal)
    const call = calls.get(key) ?? begin(request, key)
    call.waiting += 1
    try {
      const { hit, response } = await untilAborted(call.answer, request.signal)
      const first = !call.paid
      call.paid = true
      return { hit: hit || !first, response }
    } finally {
      call.waiting -= 1
      if (call.waiting === 0) {
        // A new request must not join a call that is being aborted.
        if (calls.get(key) === call) call.abort.abort(signal.reason)
        forget(key, call)
      }
    }
  }
}

/** A store of answers by the key of their request. `fileCache` of `@jurist/experiment/store` keeps them on disk. */
export interface ModelCache {
  get(key: string): Promise<JudgeModelResponse | undefined>
  set(key: string, response: JudgeModelResponse): Promise<void>
}

/**
 * Creates a cache that lives as long as the process.
 *
 * @example
 * import { cached, memoryCache, wrapModel } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const answers = memoryCache()
 * wrapModel(scriptedModel('Answer: YES'), cached(answers, { scope: 'small' }))
 * wrapModel(scriptedModel('Answer: NO'), cached(answers, { scope: 'large' }))
 */
export function memoryCache(): ModelCache {
  const responses = new Map<string, JudgeModelResponse>()
  return Object.freeze<ModelCache>({
    get: async (key) => responses.get(key),
    set: async (key, response) => void responses.set(key, copyOf(response) as JudgeModelResponse),
  })
}

/**
 * Deeply copies and freezes; leaves out undefined values. Does not use JSON, because a log-probability may be
 * -Infinity.
 */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map(copyOf))
  if (!isPlainObject(value)) return value
  const kept = Object.entries(value).filter(([, part]) => part !== undefined)
  return Object.freeze(Object.fromEntries(kept.map(([key, part]) => [key, copyOf(part)])))
}

/**
 * Returns a middleware that answers repeated requests from a cache: with a cost of 0, without usage, with
 * `metadata.cached`. Concurrent equal requests share one call. An aborted request leaves the call to the others; the
 * call is aborted when no request waits for it. Failures are not cached. A cache that fails is treated as empty.
 *
 * @param store default `memoryCache()`
 * @param options `scope` separates the answers of different models, or of different uses, in one store
 * @throws `option-invalid`
 *
 * @example
 * import { cached, wrapModel } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * wrapModel(scriptedModel('Answer: YES'), cached()) // keeps answers in memory
 */
export function cached(store: ModelCache = memoryCache(), options?: { readonly scope?: string }): ModelMiddleware {
  const { scope } = checkOptions('cached', options, { scope: option.string })
  const keyOf = async (request: JudgeModelRequest) => {
    const key = await requestKey(request)
    return scope === undefined ? key : sha256(JSON.stringify([scope, key]))
  }
  return function cached(model) {
    const share = sharedCalls(async (request, key) => {
      const known = await orMiss(() => store.get(key))
      if (known !== undefined) return { hit: true, response: known }
      const response = await model(request)
      await orMiss(() => store.set(key, response))
      return { hit: false, response }
    })
    return (async (request) => {
      const { hit, response } = await share(request, keyOf)
      return hit ? asHit(response) : response
    }) satisfies JudgeModel
  }
}

function asHit({ usage, ...response }: JudgeModelResponse): JudgeModelResponse {
  return Object.freeze({ ...response, costUsd: 0, metadata: Object.freeze({ ...response.metadata, cached: true }) })
}

async function orMiss<Value>(step: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await step()
  } catch {
    return undefined
  }
}

const standIn = 'FENCE'

/**
 * Returns the key of a request in caches and cassettes: the SHA-256, as 64 hexadecimal digits, of its messages, its
 * options without `timeoutMs`, and `metadata.sample`. The number of the fence, which is new each time, counts as
 * `FENCE`; the signal and other metadata do not count.
 *
 * @example
 * import { requestKey, userRequest } from '@jurist/core/llm'
 *
 * console.log(await requestKey(userRequest('Say hello.')))
 */
export async function requestKey(request: JudgeModelRequest): Promise<string> {
  const { timeoutMs, ...options } = request.options
  const { sample } = request.metadata
  return sha256(canonicalJson({ messages: comparableMessages(request), options, sample }))
}

/** Replaces the number of the fence, so that equal prompts are equal. */
export function comparableMessages({ messages, metadata }: JudgeModelRequest): readonly ModelMessage[] {
  const { fence } = metadata
  if (typeof fence !== 'string' || fence === '') return messages
  return messages.map((message) => ({ ...message, content: message.content.replaceAll(fence, standIn) }))
}

/**
 * Web Crypto hashes in another thread, and waiting for it takes ten times as long as hashing, so a synchronous hash is
 * used where there is one.
 */
async function sha256(text: string): Promise<string> {
  const atOnce = builtinModule('node:crypto')
  if (atOnce !== undefined) return atOnce.createHash('sha256').update(text).digest('hex')
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
