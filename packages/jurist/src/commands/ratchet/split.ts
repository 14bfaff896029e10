import { randomInt } from 'node:crypto'
import { isPlainObject } from '@jurist/core/internal'
import type { DatasetItem } from '@jurist/experiment'
import { canonicalJson } from '@jurist/experiment/internal'
import type { Plan } from './ratchet-state.js'

/**
 * The units of items, by item: those of one `cluster` or one `source` in the metadata, and those that ask the same, are one unit.
 * Their trials depend on each other, so that they count once, and never lie in two parts.
 */
export function unitsOf(items: readonly DatasetItem[]): ReadonlyMap<string, string> {
  const leaders = new Map<string, string>()
  const leader = (id: string): string => {
    const above = leaders.get(id) ?? id
    return above === id ? id : leader(above)
  }
  const first = new Map<string, string>()
  for (const item of items)
    for (const key of keysOf(item)) {
      const known = first.get(key)
      if (known === undefined) first.set(key, item.id)
      else leaders.set(leader(item.id), leader(known))
    }
  return new Map(items.map(({ id }) => [id, leader(id)]))
}

function keysOf({ task, input, before, metadata }: DatasetItem): readonly string[] {
  const named = ['cluster', 'source'].flatMap((name) => {
    const value = isPlainObject(metadata) ? metadata[name] : undefined
    return value === undefined || value === null ? [] : [`${name} ${canonicalJson(value)}`]
  })
  const asked = { task: task.toLowerCase().replaceAll(/\s+/g, ' ').trim(), input, before: JSON.stringify(before) }
  return [...named, `text ${canonicalJson(asked)}`]
}

/**
 * Divides units by random numbers of the system, which leave no seed behind. A unit that is too large for the rest of a part goes
 * to another.
 */
export function splitOf(
  units: ReadonlyMap<string, string>,
  wanted: { readonly visible: number | undefined; readonly hidden: readonly number[]; readonly reserve: number },
): Plan['parts'] {
  const byUnit = new Map<string, string[]>()
  for (const [id, unit] of units) byUnit.set(unit, [...(byUnit.get(unit) ?? []), id])
  const keyed = [...byUnit.values()].map((ids) => ({ ids, key: randomInt(2 ** 47) }))
  const groups = keyed.sort((one, other) => one.key - other.key).map(({ ids }) => ids)
  const take = (most: number) => {
    const taken: string[] = []
    for (let place = 0; place < groups.length && taken.length < most; ) {
      const group = groups[place] ?? []
      if (taken.length + group.length > most) place += 1
      else taken.push(...(groups.splice(place, 1)[0] ?? []))
    }
    return taken
  }
  const hidden = wanted.hidden.map(take)
  const reserve = take(wanted.reserve)
  return { hidden, reserve, visible: take(wanted.visible ?? units.size) }
}
