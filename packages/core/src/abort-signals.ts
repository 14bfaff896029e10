const deadline: unique symbol = Symbol('deadline')

type Timed = AbortSignal & { [deadline]?: number | undefined }

/**
 * Records when a signal will fire, so that a command can stop itself before that: its own timeout is a finding, whereas
 * a command that is cut off decides nothing. `undefined`: not known.
 */
export function endsWithin(signal: Timed, ms: number | undefined): void {
  signal[deadline] = ms === undefined ? undefined : performance.now() + ms
}

/** In milliseconds; `undefined` where no deadline is known. */
export function timeLeft(signal: Timed | undefined): number | undefined {
  const end = signal?.[deadline]
  return end === undefined ? undefined : Math.max(0, end - performance.now())
}

export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  const any = AbortSignal.any([...signals])
  const left = signals.map(timeLeft).filter((one) => one !== undefined)
  if (left.length > 0) endsWithin(any, Math.min(...left))
  return any
}

const waiting: unique symbol = Symbol('waiting')

type Awaited = AbortSignal & { [waiting]?: Set<() => void> }

/**
 * Calls `stop` when the signal fires, unless the returned function was called before. All callbacks of a signal share
 * one listener, because runtimes warn of a leak from the eleventh listener on.
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
