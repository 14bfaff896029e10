/** Lets trials whose verdict is known be stored while other trials run. */
export interface WriteBehind {
  /**
   * Starts a trial. Resolves when the trial calls `examined` and no more than the limit are being stored; otherwise when it
   * has been stored. The trial must not reject.
   */
  perform(trial: (examined: () => void) => Promise<void>): Promise<void>
  /** Waits until all trials have been stored. */
  end(): Promise<void>
}

/** Lets up to `limit` trials be stored while others run. 0: each trial is stored before the next one starts. */
export function writeBehind(limit: number): WriteBehind {
  let unfinished = 0
  let storing = 0
  let whenIdle = () => {}

  return {
    perform(trial) {
      return new Promise((resolve) => {
        let isBehind = false
        unfinished += 1
        const examined = () => {
          if (storing >= limit) return
          isBehind = true
          storing += 1
          resolve()
        }
        void trial(examined).then(() => {
          if (isBehind) storing -= 1
          resolve()
          unfinished -= 1
          if (unfinished === 0) whenIdle()
        })
      })
    },
    end() {
      return new Promise((resolve) => {
        whenIdle = resolve
        if (unfinished === 0) resolve()
      })
    },
  }
}
