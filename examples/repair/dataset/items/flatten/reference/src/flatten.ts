export type Nested = number | readonly Nested[]

/** The list with its inner lists dissolved, down to `depth` levels; 0 leaves it as it is. */
export function flatten(list: readonly Nested[], depth: number): Nested[] {
  const result: Nested[] = []
  for (const entry of list) {
    if (typeof entry !== 'number' && depth > 0) result.push(...flatten(entry, depth - 1))
    else result.push(entry)
  }
  return result
}
