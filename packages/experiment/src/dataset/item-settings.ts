import type { Json } from '@jurist/core'
import { frozenJson, isPlainObject } from '@jurist/core/internal'
import * as v from 'valibot'
import { count, milliseconds, text } from '../fields.js'
import type { ItemSettings } from './item.js'
import { isStorable } from './item-fields.js'

const wanted = 'must be the name of a jury, an object of judges or an array of judges'

/** Described judges: their form. What they say is read with the config that they belong to. */
const describedJudges = v.pipe(
  v.custom<Json>((value) => {
    if (typeof value === 'string') return value.trim() !== ''
    return Array.isArray(value) ? value.length > 0 : isPlainObject(value) && Object.keys(value).length > 0
  }, wanted),
  v.check((value) => isStorable(value), 'cannot be stored'),
)

type Optional<Value> = v.NullishSchema<v.GenericSchema<Value>, undefined>

/** The schemas of the settings, for an object of fields. `null` is the same as a missing key. */
export const settingFields: {
  readonly judges: Optional<Json>
  readonly timeoutMs: Optional<number>
  readonly repetitions: Optional<number>
  readonly image: Optional<string>
} = {
  judges: v.nullish(describedJudges),
  timeoutMs: v.nullish(milliseconds),
  repetitions: v.nullish(count),
  image: v.nullish(text),
}

/** The settings among the fields of an item. */
export function settingsAmong(
  given: {
    readonly [name in keyof ItemSettings]?: ItemSettings[name] | undefined
  },
): ItemSettings {
  const { judges = null, timeoutMs = null, repetitions = null, image = null } = given
  return { judges: judges === null ? null : frozenJson(judges, ['judges']), timeoutMs, repetitions, image }
}

/** An item without settings. */
export const noSettings: ItemSettings = Object.freeze(settingsAmong({}))
