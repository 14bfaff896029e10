import type { FileHandle } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'

/** Appends lines to one open file. */
export interface AppendLog {
  /** Resolves when the line is durable. After one failure every append rejects: the end of the file is uncertain. */
  append(line: string): Promise<void>
  /** Waits for pending lines, then closes the file. */
  close(): Promise<void>
}

interface Waiting {
  readonly line: string
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

/**
 * Group commit: lines that wait at the same moment share one write and one sync, and none is acknowledged before its
 * own is on the disk.
 *
 * @param options.mayWrite asked before each write; what it throws rejects the lines
 * @param options.stored told the bytes of whole lines that are on the disk now
 * @param options.failed turns what the disk said into the error of the lines, given how many were stored before
 */
export function appendLog(
  handle: FileHandle,
  options: {
    readonly sync: boolean
    readonly mayWrite: () => Promise<void>
    readonly stored: (bytes: Buffer) => void
    readonly failed: (thrown: unknown, stored: number) => Error
  },
): AppendLog {
  let waiting: Waiting[] = []
  let draining: Promise<void> | undefined
  let failure: Error | undefined
  let stored = 0

  async function drain(): Promise<void> {
    // What is appended in this turn of the event loop goes into the first write already.
    await setImmediate()
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await write(batch)
    }
    draining = undefined
  }

  async function write(batch: readonly Waiting[]): Promise<void> {
    try {
      if (failure !== undefined) throw failure
      await options.mayWrite()
      const bytes = Buffer.from(`${batch.map(({ line }) => line).join('\n')}\n`)
      await handle.appendFile(bytes)
      if (options.sync) await handle.datasync()
      options.stored(bytes)
      stored += batch.length
      for (const { resolve } of batch) resolve()
    } catch (thrown) {
      failure ??= options.failed(thrown, stored)
      for (const { reject } of batch) reject(failure)
    }
  }

  return {
    append: (line) =>
      new Promise((resolve, reject) => {
        waiting.push({ line, resolve, reject })
        draining ??= drain()
      }),
    async close() {
      await draining
      await handle.close()
    },
  }
}
