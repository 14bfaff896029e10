/** Lets at most so many at once; the others wait their turn. */
export interface Turns {
  /** Waits for a turn; `undefined` when a signal came first. Call what is returned to give the turn back. */
  take(signals: readonly AbortSignal[]): Promise<(() => void) | undefined>
}

/** A new queue with `atOnce` places. */
export function turns(atOnce: number): Turns {
  let free = atOnce
  const waiting = new Set<() => void>()
  const giveBack = () => {
    const [next] = waiting
    if (next === undefined) free += 1
    else next()
  }
  return {
    async take(signals) {
      if (signals.some(({ aborted }) => aborted)) return undefined
      if (free > 0) {
        free -= 1
        return giveBack
      }
      return new Promise((resolve) => {
        const settle = (turn: (() => void) | undefined) => {
          waiting.delete(go)
          for (const signal of signals) signal.removeEventListener('abort', leave)
          resolve(turn)
        }
        const go = () => settle(giveBack)
        const leave = () => settle(undefined)
        waiting.add(go)
        for (const signal of signals) signal.addEventListener('abort', leave)
      })
    },
  }
}
