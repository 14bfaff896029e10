/** Returns a number below 2³² that depends only on a string: FNV-1a with the finalizer of MurmurHash3. */
function numberOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/**
 * Sorts the values in an order that looks random and depends only on `seed` and their keys, so that it is the same on
 * every machine.
 */
export function seededOrder<Value>(
  values: readonly Value[],
  seed: string,
  keyOf: (value: Value) => string,
): readonly Value[] {
  return values
    .map((value) => ({ value, key: keyOf(value) }))
    .map(({ value, key }) => ({ value, key, rank: numberOf(`${seed}\n${key}`) }))
    .sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ value }) => value)
}
