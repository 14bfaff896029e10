/** What waits for a signal. In the signal: thousands of entries of a weak map slow down every garbage collection. */
const waiting: unique symbol = Symbol('waiting')

type Awaited = AbortSignal & { [waiting]?: Set<() => void> }

/**
 * Calls `stop` when the signal fires, unless what this returns was called before. However many wait for a signal, it gets
 * one listener, as long as somebody waits: runtimes warn of a leak from the eleventh on.
 */
export function onAbort(signal: Awaited, stop: () => void): () => void {
  signal[waiting] ??= new Set()
  const all = signal[waiting]
  if (all.size === 0) signal.addEventListener('abort', stopAll)
  all.add(stop)
  return () => {
    all.delete(stop)
    if (all.size === 0) signal.removeEventListener('abort', stopAll)
  }
}

/** Node.js 20 leaves `currentTarget` empty after the first listener. */
function stopAll({ target }: Event): void {
  for (const stop of (target as Awaited)[waiting] ?? []) stop()
}
