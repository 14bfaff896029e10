import { abortedError } from '../../judge.js'

/** Those who wait for their turn, first come first served. */
export interface WaitingLine {
  /** Waits; calls `begin` in the moment of the turn. Rejects with `aborted` as soon as the signal fires. */
  enter(signal: AbortSignal, begin: () => void): Promise<void>
  /** Looks again who may begin, because something has ended. */
  move(): void
}

/** Timers may fire a moment early. */
const roundingMs = 1

/**
 * A line in which the first may begin when `waitMs` says 0. When it says a finite time, the line looks again after it;
 * else when it is told to move. It keeps no timer while nobody waits.
 */
export function waitingLine(waitMs: () => number): WaitingLine {
  const waiting = new Set<() => void>()
  let timer: ReturnType<typeof setTimeout> | undefined

  function move(): void {
    clearTimeout(timer)
    timer = undefined
    for (const begin of waiting) {
      const ms = waitMs()
      if (ms > 0) {
        if (ms < Infinity) timer = setTimeout(move, Math.ceil(ms) + roundingMs)
        return
      }
      waiting.delete(begin)
      begin()
    }
  }

  return {
    move,
    enter: (signal, begin) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(abortedError(signal))
        const turn = () => {
          signal.removeEventListener('abort', leave)
          begin()
          resolve()
        }
        const leave = () => {
          waiting.delete(turn)
          reject(abortedError(signal))
          move()
        }
        signal.addEventListener('abort', leave, { once: true })
        waiting.add(turn)
        move()
      }),
  }
}
