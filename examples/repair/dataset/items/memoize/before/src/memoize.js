/** Remembers the results of `work` by its arguments, which must be plain data. */
export function memoize(work) {
  const known = new Map()
  return (...given) => {
    const key = given[0]
    if (!known.has(key)) known.set(key, work(...given))
    return known.get(key)
  }
}
