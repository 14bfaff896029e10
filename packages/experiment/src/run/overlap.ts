import { type Soon, soon } from '@jurist/core/internal'

/** Work that has a first part, of which only so much may go on at once, and a rest that may overlap with other work. */
export interface Overlap {
  /**
   * Starts some work. Ends when its first part is over, which the work tells, and not more than the limit have a rest to
   * do; at the latest when all of it is over. The work must not fail.
   */
  perform(work: (firstPartIsOver: () => void) => Soon<void>): Soon<void>
  /** Waits until no work has a rest to do. */
  end(): Promise<void>
}

/** Lets up to `limit` pieces of work do their rest while others start. 0: nothing overlaps. */
export function overlap(limit: number): Overlap {
  let unfinished = 0
  let resting = 0
  let ended: (() => void) | undefined

  return {
    perform(work) {
      unfinished += 1
      let isResting = false
      let mayGoOn = false
      let told: (() => void) | undefined
      // Told once: to resolve a promise again takes longer than to resolve it.
      const goOn = () => {
        if (!mayGoOn) told?.()
        mayGoOn = true
      }
      const over = () => {
        if (isResting || resting >= limit) return
        isResting = true
        resting += 1
        goOn()
      }
      void soon(work(over), () => {
        if (isResting) resting -= 1
        unfinished -= 1
        goOn()
        if (unfinished === 0) ended?.()
      })
      if (mayGoOn) return
      return new Promise((resolve) => {
        told = resolve
      })
    },
    end() {
      return new Promise((resolve) => {
        ended = resolve
        if (unfinished === 0) resolve()
      })
    },
  }
}
