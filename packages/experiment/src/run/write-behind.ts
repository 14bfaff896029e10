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
  const running = new Set<Promise<void>>()
  let storing = 0

  return {
    async perform(trial) {
      let stored: Promise<void> = Promise.resolve()
      const examined = new Promise<void>((resolve) => {
        stored = trial(resolve)
      })
      running.add(stored)
      void stored.then(() => running.delete(stored))
      await Promise.race([examined, stored])
      if (storing >= limit) return stored
      storing += 1
      void stored.then(() => {
        storing -= 1
      })
    },
    async end() {
      await Promise.all(running)
    },
  }
}
