import type { Json } from '@jurist/core'

/** Whether two JSON values are equal; the order of keys does not count. */
export function sameJson(one: Json, other: Json): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  if (isList(one) || isList(other)) {
    if (!isList(one) || !isList(other) || one.length !== other.length) return false
    return one.every((value, index) => sameJson(value, other[index] ?? null))
  }
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  return keys.every((key) => Object.hasOwn(other, key) && sameJson(one[key] ?? null, other[key] ?? null))
}

// Array.isArray does not narrow readonly arrays away.
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
