/** The calls under way for each signal that was handed on. */
const callsOf = new WeakMap<AbortSignal, Set<AbortController>>()

/**
 * Runs `step` with a signal of its own that fires when `outer` does. However many steps there are at a time, one listener
 * is all that `outer` gets: Node warns of a leak from the eleventh on.
 */
export async function withOwnSignal<Value>(
  outer: AbortSignal,
  step: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  if (outer.aborted) return step(outer)
  const own = new AbortController()
  const calls = callsOf.get(outer) ?? listeningTo(outer)
  calls.add(own)
  try {
    return await step(own.signal)
  } finally {
    calls.delete(own)
  }
}

function listeningTo(outer: AbortSignal): Set<AbortController> {
  const calls = new Set<AbortController>()
  callsOf.set(outer, calls)
  const stop = () => {
    for (const call of calls) call.abort(outer.reason)
  }
  outer.addEventListener('abort', stop, { once: true })
  return calls
}
