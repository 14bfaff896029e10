import type { Soon } from '@jurist/core/internal'
import { lastly } from './lastly.js'

/** Lets a limited number through at the same time, in the order of arrival. */
export interface Gate {
  /** Does some work at once, or when there is room. */
  pass<Value>(work: () => Soon<Value>): Soon<Value>
}

/** A gate for `places` at a time. */
export function gate(places: number): Gate {
  const waiting: (() => void)[] = []
  let free = places

  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }

  return {
    pass(work) {
      if (free === 0) return new Promise<void>((resolve) => waiting.push(resolve)).then(() => lastly(work, leave))
      free -= 1
      return lastly(work, leave)
    },
  }
}
