import { setImmediate } from 'node:timers/promises'

const turnMs = 50

/**
 * A pause to be awaited between steps of synchronous work: it lets the event loop turn every 50 ms.
 * The pause rejects with the reason of the signal when that has fired.
 */
export function pacer(signal: AbortSignal): { readonly due: () => boolean; readonly pause: () => Promise<void> } {
  let since = performance.now()
  return {
    due: () => performance.now() - since > turnMs,
    async pause() {
      signal.throwIfAborted()
      await setImmediate()
      signal.throwIfAborted()
      since = performance.now()
    },
  }
}
