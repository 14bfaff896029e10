const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls `stop` when the signal fires, unless what this returns was called before. However many wait for a signal, it gets
 * one listener: runtimes warn of a leak from the eleventh on.
 */
export function onAbort(signal: AbortSignal, stop: () => void): () => void {
  const known = waiting.get(signal)
  const all = known ?? new Set()
  if (!known) {
    waiting.set(signal, all)
    signal.addEventListener(
      'abort',
      () => {
        for (const each of all) each()
      },
      { once: true },
    )
  }
  all.add(stop)
  return () => all.delete(stop)
}
