/** Lets a limited number through at the same time, in the order of arrival. */
export interface Gate {
  /** At once, or when there is room: what to call to make room again. */
  enter(): (() => void) | Promise<() => void>
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
    enter() {
      if (free === 0) return new Promise((resolve) => waiting.push(() => resolve(leave)))
      free -= 1
      return leave
    },
  }
}
