import { pause } from '@jurist/kit/retry-pause'

/** How an agent is ended, step by step. */
export interface Ladder {
  readonly signal: AbortSignal
  /** Milliseconds for the agent's own way to stop. */
  readonly graceMs: number
  /** The agent's own way to stop. */
  readonly cancel: () => void
  readonly terminate: () => unknown
  readonly kill: () => unknown
}

const killAfterMs = 2_000
const giveUpAfterMs = 5_000

/**
 * Waits for `work`. Once the signal has fired: the agent's own cancel; after the grace SIGTERM; two seconds later
 * SIGKILL; and five seconds after that it is given up.
 *
 * @returns what the work gave, or `undefined` when it was given up
 */
export async function climb<Value>(work: Promise<Value>, ladder: Ladder): Promise<Value | undefined> {
  const ended = work.then(
    () => true as const,
    () => true as const,
  )
  let stop: () => void = () => {}
  const fired = new Promise<false>((resolve) => {
    stop = () => resolve(false)
    ladder.signal.addEventListener('abort', stop, { once: true })
    if (ladder.signal.aborted) stop()
  })
  try {
    if (await Promise.race([ended, fired])) return await work
  } finally {
    ladder.signal.removeEventListener('abort', stop)
  }
  const steps = [
    { act: ladder.cancel, waitMs: ladder.graceMs },
    { act: ladder.terminate, waitMs: killAfterMs },
    { act: ladder.kill, waitMs: giveUpAfterMs },
  ]
  for (const { act, waitMs } of steps) {
    await act()
    if (await Promise.race([ended, waited(waitMs)])) return await work
  }
  return undefined
}

async function waited(ms: number): Promise<false> {
  await pause(ms)
  return false
}
