import { freeze } from '../../freeze.js'
import { isPlainObject } from '../../json.js'
import { checkOptions, option } from '../../options.js'
import type { JudgeModel, JudgeModelRequest, JudgeModelResponse } from '../model.js'
import { requestKey, sha256 } from './request-key.js'
import { sharedCalls } from './shared-calls.js'
import type { ModelMiddleware } from './wrap-model.js'

/** Where answers are kept, by the key of their request. One on disk: `fileCache` of `@jurist/experiment/store`. */
export interface ModelCache {
  get(key: string): Promise<JudgeModelResponse | undefined>
  set(key: string, response: JudgeModelResponse): Promise<void>
}

/** A cache that lives as long as the process. */
export function memoryCache(): ModelCache {
  const responses = new Map<string, JudgeModelResponse>()
  return freeze<ModelCache>({
    get: async (key) => responses.get(key),
    set: async (key, response) => void responses.set(key, copyOf(response) as JudgeModelResponse),
  })
}

/** A deep, frozen copy; what is undefined is left out. Not through JSON: a log-probability may be -Infinity. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return freeze(value.map(copyOf))
  if (!isPlainObject(value)) return value
  const kept = Object.entries(value).filter(([, part]) => part !== undefined)
  return freeze(Object.fromEntries(kept.map(([key, part]) => [key, copyOf(part)])))
}

/**
 * Answers requests that were answered before from a cache: with a cost of 0, without usage, with `metadata.cached`. Equal
 * requests in flight share one call; one that is aborted leaves the call to the others, and the call is aborted when
 * nobody waits any more. Failures are not kept. A cache that fails is treated as one that has nothing.
 *
 * @param store default `memoryCache()`
 * @param options `scope` keeps the answers of different models, or of different uses, apart in one store
 * @throws `option-invalid`
 *
 * @example
 * wrapModel(model, cached(fileCache('.jurist/answers'), { scope: 'claude' }))
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
  return freeze({ ...response, costUsd: 0, metadata: freeze({ ...response.metadata, cached: true }) })
}

async function orMiss<Value>(step: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await step()
  } catch {
    return undefined
  }
}
