/** Remembers values for `lifetimeMs` milliseconds of the given clock. */
export function createExpiring(lifetimeMs, clock = Date.now) {
  const entries = new Map()
  return {
    set(key, value) {
      entries.set(key, { value, until: clock() + lifetimeMs })
    },
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (clock() < entry.until) return entry.value
      entries.delete(key)
      return undefined
    },
    get size() {
      return entries.size
    },
  }
}
