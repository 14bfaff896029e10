import { JuristError } from '@jurist/core'
import { pause, retryPauseMs } from '@jurist/kit/retry-pause'

const tenMinutes = 600_000
const pauses = { baseMs: 500, maxMs: 15_000 }

/**
 * Calls a function of a queue, again for some time while its store fails: a database may be away for a while.
 *
 * @param failed called with each failure that is followed by another attempt
 * @param patienceMs default: ten minutes
 * @throws what the function throws last
 */
export async function patiently<Value>(
  action: () => Promise<Value>,
  failed: (message: string) => void,
  signal?: AbortSignal,
  patienceMs: number = tenMinutes,
): Promise<Value> {
  const untilMs = performance.now() + patienceMs
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action()
    } catch (thrown) {
      const isAway = JuristError.is(thrown, 'store-failed')
      if (!isAway || performance.now() > untilMs || signal?.aborted === true) throw thrown
      failed(thrown.message)
      await pause(retryPauseMs(attempt, pauses), signal).catch(() => undefined)
    }
  }
}
