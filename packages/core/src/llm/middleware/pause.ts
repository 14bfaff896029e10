import { longestTimerMs } from '@jurist/kit/timers'
import { abortedError } from '../../judge.js'

/** Timers overflow there: a longer pause is made of several. */

/** Waits; rejects with `aborted`, and leaves no timer, as soon as the signal fires. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortedError(signal))
    const stop = () => {
      clearTimeout(timer)
      reject(abortedError(signal))
    }
    const done = () => {
      signal.removeEventListener('abort', stop)
      resolve(ms > longestTimerMs ? pause(ms - longestTimerMs, signal) : undefined)
    }
    const timer = setTimeout(done, Math.min(ms, longestTimerMs))
    signal.addEventListener('abort', stop, { once: true })
  })
}
