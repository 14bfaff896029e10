import type { JsonObject, JudgmentContext } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { DatasetItem } from '../dataset/item.js'

/** Where items keep what judges said of them, and what they said with two places exchanged. */
const key = 'said'
const exchangedKey = 'saidSwapped'

type Metadata = Readonly<Record<string, unknown>>

/** What is recorded of a judge: `said: { name: … }`, or a column `said.name`. */
export function saidIn(metadata: Metadata, name: string): unknown {
  return answersIn(metadata, key).get(name)
}

/** Whether anything at all is recorded. */
export function hasAnswers(metadata: Metadata): boolean {
  return answersIn(metadata, key).size > 0
}

/** The judges whose answers items keep, in the order in which they appear. */
export function recordedNames(items: readonly Pick<DatasetItem, 'metadata'>[]): readonly string[] {
  return [...new Set(items.flatMap(({ metadata }) => [...answersIn(metadata, key).keys()]))]
}

/** Whether items keep what judges said with two places exchanged. */
export function hasExchanged(items: readonly Pick<DatasetItem, 'metadata'>[]): boolean {
  return items.some(({ metadata }) => answersIn(metadata, exchangedKey).size > 0)
}

/** The context in which recorded judges say what they said with two places exchanged. */
export function exchangedContext(context: JudgmentContext): JudgmentContext {
  const { metadata } = context
  const rest = Object.entries(metadata).filter(([name]) => name !== key && !name.startsWith(`${key}.`))
  const said = Object.fromEntries(answersIn(metadata, exchangedKey))
  return { ...context, metadata: { ...Object.fromEntries(rest), [key]: said } as JsonObject }
}

function answersIn(metadata: Metadata, under: string): ReadonlyMap<string, unknown> {
  const whole = Object.hasOwn(metadata, under) ? recordOf(metadata[under]) : {}
  const columns = Object.entries(metadata).flatMap(([name, value]) =>
    name.startsWith(`${under}.`) && value !== '' ? [[name.slice(under.length + 1), value] as const] : [],
  )
  return new Map([...Object.entries(whole), ...columns])
}

/** A cell of a table holds its record as JSON. */
function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (isPlainObject(value)) return value
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return {}
  try {
    return recordOf(JSON.parse(value))
  } catch {
    return {}
  }
}
