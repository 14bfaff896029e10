export interface Cache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  keys(): string[]
}

/** A cache of at most `capacity` entries. The one that was read or written longest ago goes first. */
export function createCache<Value>(capacity: number): Cache<Value> {
  const entries = new Map<string, Value>()
  return {
    get(key) {
      const value = entries.get(key)
      if (entries.has(key)) {
        entries.delete(key)
        entries.set(key, value as Value)
      }
      return value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      const [oldest] = entries.keys()
      if (entries.size > capacity && oldest !== undefined) entries.delete(oldest)
    },
    keys: () => [...entries.keys()],
  }
}
