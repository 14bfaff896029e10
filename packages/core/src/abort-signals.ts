/** When a signal will fire. */
const deadline: unique symbol = Symbol('deadline')

type Timed = AbortSignal & { [deadline]?: number | undefined }

/**
 * Says that a signal will fire in some time, so that commands that run for it can end before: what runs out of its own time is
 * a finding, and what is cut off is not. `undefined`: it is not known.
 */
export function endsWithin(signal: Timed, ms: number | undefined): void {
  signal[deadline] = ms === undefined ? undefined : performance.now() + ms
}

/** Milliseconds until a signal fires; `undefined` where nothing is known. */
export function timeLeft(signal: Timed | undefined): number | undefined {
  const end = signal?.[deadline]
  return end === undefined ? undefined : Math.max(0, end - performance.now())
}

/** A signal that fires with the first of several. */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  const any = AbortSignal.any([...signals])
  const left = signals.map(timeLeft).filter((one) => one !== undefined)
  if (left.length > 0) endsWithin(any, Math.min(...left))
  return any
}

/** What waits for a signal. */
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
