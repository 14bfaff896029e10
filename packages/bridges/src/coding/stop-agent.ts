import { withTimeout } from '@jurist/kit/timers'

/** In the order of the steps. */
export interface StopSteps {
  readonly signal: AbortSignal
  /** The time between `cancel` and `terminate`, in milliseconds. */
  readonly graceMs: number
  /** Asks the agent to stop by itself. */
  readonly cancel: () => void
  readonly terminate: () => void
  readonly kill: () => void
}

const killAfterMs = 2_000
const abandonAfterMs = 5_000

/**
 * When the signal fires: cancels; after `graceMs` sends SIGTERM; two seconds later SIGKILL; and five seconds later
 * stops waiting.
 *
 * @returns the result of the work, or `undefined` if it did not end
 */
export async function untilStopped<Value>(work: Promise<Value>, steps: StopSteps): Promise<Value | undefined> {
  const { signal, graceMs, cancel, terminate, kill } = steps
  const ended = work.then(
    () => true as const,
    () => true as const,
  )
  let stop: () => void = () => {}
  const fired = new Promise<false>((resolve) => {
    stop = () => resolve(false)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
  try {
    if (await Promise.race([ended, fired])) return await work
  } finally {
    signal.removeEventListener('abort', stop)
  }
  const inOrder = [
    { act: cancel, waitMs: graceMs },
    { act: terminate, waitMs: killAfterMs },
    { act: kill, waitMs: abandonAfterMs },
  ]
  for (const { act, waitMs } of inOrder) {
    act()
    if (await withTimeout(ended, waitMs, () => false)) return await work
  }
  return undefined
}
