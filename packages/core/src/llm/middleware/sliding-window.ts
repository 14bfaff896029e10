const windowMs = 60_000

/** Counts what happened in the last 60 s. */
export interface SlidingWindow {
  /** How long until the count is below the limit; 0 when it is. */
  waitMs(): number
  add(count: number): void
}

/** A window that is full when `limit` is reached. */
export function slidingWindow(limit: number): SlidingWindow {
  const entries: { readonly at: number; readonly count: number }[] = []
  let total = 0

  function dropOld(now: number): void {
    while (entries[0] !== undefined && now - entries[0].at >= windowMs) total -= entries.shift()?.count ?? 0
  }

  return {
    waitMs() {
      if (limit === Infinity) return 0
      const now = performance.now()
      dropOld(now)
      let left = total
      for (const { at, count } of entries) {
        if (left < limit) return 0
        left -= count
        if (left < limit) return at + windowMs - now
      }
      return 0
    },
    add(count) {
      if (limit === Infinity || count === 0) return
      entries.push({ at: performance.now(), count })
      total += count
    },
  }
}
