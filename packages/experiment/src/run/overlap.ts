/** Work that has a first part, of which only so much may go on at once, and a rest that may overlap with other work. */
export interface Overlap {
  /**
   * Starts some work. Resolves when its first part is over, which the work tells, and not more than the limit have a rest
   * to do; at the latest when all of it is over. The work must not reject.
   */
  perform(work: (firstPartIsOver: () => void) => Promise<void>): Promise<void>
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
      return new Promise((resolve) => {
        let isResting = false
        const over = () => {
          if (isResting || resting >= limit) return
          isResting = true
          resting += 1
          resolve()
        }
        void work(over).then(() => {
          if (isResting) resting -= 1
          unfinished -= 1
          resolve()
          if (unfinished === 0) ended?.()
        })
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
