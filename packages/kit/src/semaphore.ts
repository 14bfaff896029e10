/** Admits a limited number of callers at the same time. The others wait in order of arrival. */
export interface Semaphore {
  /**
   * Waits for a place and returns a function that frees it and must be called once. Rejects with the signal's reason if
   * a signal fires first.
   */
  acquire(...signals: readonly AbortSignal[]): Promise<() => void>
  /** Runs `work` in a place, and frees the place afterwards. */
  run<Value>(work: () => Value | PromiseLike<Value>): Promise<Value>
}

/** Creates a semaphore with `places` places; `Infinity` admits every caller. */
export function semaphore(places: number): Semaphore {
  let free = places
  const waiting: (() => void)[] = []

  function release(): void {
    const [next] = waiting
    if (next === undefined) free += 1
    else next()
  }
  function turn(signals: readonly AbortSignal[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(enter), 1)
        for (const signal of signals) signal.removeEventListener('abort', stop)
      }
      const enter = () => {
        leave()
        resolve()
      }
      const stop = () => {
        leave()
        reject(signals.find(({ aborted }) => aborted)?.reason)
      }
      waiting.push(enter)
      for (const signal of signals) signal.addEventListener('abort', stop)
    })
  }
  async function enter(signals: readonly AbortSignal[]): Promise<void> {
    for (const signal of signals) signal.throwIfAborted()
    if (free > 0) free -= 1
    else await turn(signals)
  }

  return {
    async acquire(...signals) {
      await enter(signals)
      return release
    },
    async run(work) {
      if (free > 0) free -= 1
      else await turn([])
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}
