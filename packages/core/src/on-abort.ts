/** What waits for a signal. In the signal: thousands of entries of a weak map slow down every garbage collection. */
const waiting: unique symbol = Symbol('waiting')

type Awaited = AbortSignal & { [waiting]?: Set<() => void> }

/**
 * Calls `stop` when the signal fires, unless what this returns was called before. However many wait for a signal, it gets
 * one listener: runtimes warn of a leak from the eleventh on.
 */
export function onAbort(signal: Awaited, stop: () => void): () => void {
  const known = signal[waiting]
  const all = known ?? new Set()
  if (!known) {
    signal[waiting] = all
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
