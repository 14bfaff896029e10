import type { Json, JsonObject, Judge } from '@jurist/core'
import { isPlainObject, modelInfoOf, partsOf } from '@jurist/core/internal'

/** They stop a judge, and never change what it says. */
const limits: ReadonlySet<string> = new Set(['timeoutMs', 'cpuMs', 'budgetMs'])

/**
 * The options of a judge that can change what it says, as data; `{}` where it has none. Functions among them count by their name, so
 * the author of one gives the judge a `version`. Directories and schemas without JSON do not count: they can only be looked at
 * when the judge runs.
 *
 * @param canonical describes the judges that it was made of
 */
export function settingsOf(judge: Judge, canonical: (judge: Judge) => JsonObject): { readonly options?: JsonObject } {
  const { judges, judge: only, after, model, ...given } = (partsOf(judge) ?? {}) as Readonly<Record<string, unknown>>
  const members = [...(Array.isArray(judges) ? judges : []), only, after].filter((one) => typeof one === 'function')
  const options: JsonObject = {
    ...dataOf(given),
    ...(typeof after === 'string' ? { after } : {}),
    ...(members.length === 0 ? {} : { judges: members.map((member) => canonical(member as Judge)) }),
    ...(typeof model === 'function' ? modelSettings(model) : {}),
  }
  return Object.keys(options).length === 0 ? {} : { options }
}

/** The model of a program. That of a config is a condition of the run, by its name there. */
function modelSettings(model: object): { readonly model?: Json } {
  const parts = modelInfoOf(model) === undefined ? partsOf(model) : undefined
  return parts === undefined ? {} : { model: dataOf(parts) }
}

function dataOf(given: object): JsonObject {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const data = limits.has(name) ? undefined : dataIn(value)
      return data === undefined ? [] : [[name, data]]
    }),
  )
}

function dataIn(value: unknown): Json | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  // A config can only write the source.
  if (value instanceof RegExp) return value.flags === '' ? value.source : String(value)
  if (Array.isArray(value)) return value.map((entry) => dataIn(entry) ?? null)
  if (typeof value !== 'function' && typeof value !== 'object') return undefined
  const parts = partsOf(value)
  if (parts !== undefined) return dataOf(parts)
  if (typeof value === 'function') return { function: value.name }
  if (!isPlainObject(value)) return undefined
  const names = Object.keys(value)
  return names.length > 0 && names.every((name) => limits.has(name)) ? undefined : dataOf(value)
}
