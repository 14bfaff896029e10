/** Lets a limited number through at the same time, in the order of arrival. */
export interface Gate {
  /** Resolves when there is room; call what it gives to make room again. */
  enter(): Promise<() => void>
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
    async enter() {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      return leave
    },
  }
}
