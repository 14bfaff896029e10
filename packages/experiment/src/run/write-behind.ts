/** Lets trials that have been judged be stored while other trials run. */
export interface WriteBehind {
  /**
   * Takes a trial that is being stored, whose promise must not reject. Resolves immediately while fewer than the limit are
   * being stored; otherwise when this trial is stored.
   */
  add(stored: Promise<void>): Promise<void>
  /** Waits for the trials that nothing else waits for. */
  end(): Promise<void>
}

/** Lets up to `limit` trials be stored while others run. 0: each trial is stored before the next one starts. */
export function writeBehind(limit: number): WriteBehind {
  const behind = new Set<Promise<void>>()
  return {
    async add(stored) {
      if (behind.size >= limit) return stored
      behind.add(stored)
      void stored.then(() => behind.delete(stored))
    },
    async end() {
      await Promise.all(behind)
    },
  }
}
