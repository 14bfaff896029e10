import { relative, resolve } from 'node:path'
import type { AskThrough } from '@jurist/core'
import { modelInfoOf } from '@jurist/core/internal'
import type { cached, JudgeModel, ModelCache } from '@jurist/core/llm'
import type { Host } from './host.js'

export const cacheHelp = 'reuse earlier answers of the models of the config'

/** The directory for answers. Default, unless the config names one. */
const usualDirectory = '.jurist/answers'

export interface Asking {
  readonly askThrough?: AskThrough
}

/**
 * How judges ask the models of the config: with `--cache`, and `cache` in the config, an earlier answer to the same question
 * is used again. Disposing prints the number of reused answers.
 */
export async function judgeCache(host: Host, isAsked: boolean): Promise<{ readonly asking: Asking } & Disposable> {
  const loaded = await host.configIfAny()
  const { cache: given = isAsked } = loaded?.config ?? {}
  if (given === false && !isAsked) return { asking: {}, [Symbol.dispose]() {} }
  const directory = resolve(loaded?.directory ?? host.cwd, typeof given === 'string' ? given : usualDirectory)
  const [llm, { fileCache }] = await Promise.all([import('@jurist/core/llm'), import('@jurist/experiment/store')])
  const store = counting(fileCache(directory))
  return {
    asking: { askThrough: cachedModels(llm.cached, store) },
    [Symbol.dispose]() {
      const { hits, misses } = store.counts()
      const known = `${hits} of ${hits + misses} answers of judges were known`
      if (hits + misses > 0) host.note(`Cache: ${known} (${relative(host.cwd, directory)})`)
    },
  }
}

/**
 * Answers depend on the model. Those of a model function that no config describes cannot be identified, so they are not
 * stored.
 */
function cachedModels(wrap: typeof cached, store: ModelCache): AskThrough {
  const known = new WeakMap<JudgeModel, Map<number, JudgeModel>>()
  return (model, repetition) => {
    const info = modelInfoOf(model)
    if (info === undefined) return model
    const byRepetition = known.get(model) ?? new Map<number, JudgeModel>()
    known.set(model, byRepetition)
    const { prices: _, ...facts } = info.facts
    const scope = JSON.stringify([facts, repetition])
    const made = byRepetition.get(repetition) ?? wrap(store, { scope })(model)
    byRepetition.set(repetition, made)
    return made
  }
}

function counting(store: ModelCache): ModelCache & { counts(): { readonly hits: number; readonly misses: number } } {
  let [hits, misses] = [0, 0]
  return {
    counts: () => ({ hits, misses }),
    async get(key) {
      const found = await store.get(key)
      if (found === undefined) misses += 1
      else hits += 1
      return found
    },
    set: (key, response) => store.set(key, response),
  }
}
