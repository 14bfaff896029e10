import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import type { JudgeModelResponse, ModelCache } from '@jurist/core/llm'
import { parseOrUndefined } from '@jurist/kit/json'
import * as v from 'valibot'
import { diskFailure, isMissing, makeDirectory, replaceFile } from './disk.js'

/**
 * Answers of models, kept in a directory: one file an answer, `<directory>/<two digits>/<key>.json`. Several processes may
 * use it together: a file is replaced in one step, and one that is damaged or of another form counts as not there. To
 * forget everything remove the directory.
 *
 * @throws `store-failed` from `get` and `set`, when the disk refuses
 *
 * @example
 * import { cached, wrapModel } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 * import { fileCache } from '@jurist/experiment/store'
 *
 * const model = wrapModel(scriptedModel('Answer: YES'), cached(fileCache('.jurist/answers')))
 */
export function fileCache(directory: string): ModelCache {
  const root = resolve(directory)
  return Object.freeze<ModelCache>({
    async get(key) {
      const text = textOf(placeOf(root, key).path)
      return text === undefined ? undefined : responseIn(text, key)
    },
    async set(key, response) {
      const { path, parent } = placeOf(root, key)
      await makeDirectory(parent, false)
      const text = `${JSON.stringify({ schemaVersion: 1, key, response })}\n`
      await replaceFile(path, text, { sync: false, temporary: parent })
    },
  })
}

/** Keys are digests; any other text is made one, so that it may be the name of a file. */
function placeOf(root: string, key: string): { readonly path: string; readonly parent: string } {
  const name = /^[\da-f]{64}$/.test(key) ? key : createHash('sha256').update(key).digest('hex')
  const parent = join(root, name.slice(0, 2))
  return { path: join(parent, `${name}.json`), parent }
}

/** Reads synchronously: for a small file this is faster than a promise. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    throw diskFailure('read', path, thrown)
  }
}

const storedSchema = v.object({
  schemaVersion: v.literal(1),
  key: v.string(),
  response: v.custom<JudgeModelResponse>((response) => {
    return isPlainObject(response) && (typeof response['text'] === 'string' || response['data'] !== undefined)
  }),
})

function responseIn(text: string, key: string): JudgeModelResponse | undefined {
  const stored = parseOrUndefined(text)
  return v.is(storedSchema, stored) && stored.key === key ? stored.response : undefined
}
