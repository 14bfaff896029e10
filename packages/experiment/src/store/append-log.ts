import { fstatSync, ftruncateSync, writeSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { LinePlace } from './json-lines.js'

export interface AppendLog {
  /** Appends a line. After one failure no line becomes durable: the end of the file is uncertain. */
  append(line: string): AppendedLine
  /** Waits for pending lines, truncates the file to its own lines, then closes the file. */
  close(): Promise<void>
}

/** A line that is on its way to the disk. */
interface AppendedLine {
  readonly place: LinePlace
  /** Resolves when the line is on the disk. */
  readonly durable: Promise<void>
}

/** Lines that wait for the same write. They share a promise. */
interface Batch {
  lines: number
  readonly durable: Promise<void>
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

interface AppendOptions {
  readonly sync: boolean
  /** The position of the first line: the end of this log's part of the file. */
  readonly position: number
  /** Called when the file is longer than what this run wrote; it is cut before anything is written. */
  readonly foreign: () => void
  /** Called before each write; an exception rejects the lines. */
  readonly mayWrite: () => Promise<void>
  /** Receives the bytes of whole lines that are on the disk now, and their number; they are overwritten when it has returned. */
  readonly stored: (bytes: Buffer, lines: number) => void
  /**
   * Converts an error of the disk into the error of the lines. `stored`: the number of lines that were stored before it.
   */
  readonly failed: (thrown: unknown, stored: number) => Error
}

/**
 * Group commit: lines that wait at the same moment share one write and one sync, and none is acknowledged before its
 * own is on the disk.
 */
export function appendLog(handle: FileHandle, options: AppendOptions): AppendLog {
  const lines = lineBuffer(options.position)
  const own = ownPart(handle, options)
  let waiting: Batch | undefined
  let draining: Promise<void> | undefined
  let failure: Error | undefined
  let stored = 0

  async function drain(): Promise<void> {
    // Lines that are appended in the current turn of the event loop join the first write.
    await setImmediate()
    while (waiting !== undefined) {
      const batch = waiting
      waiting = undefined
      await write(batch, lines.take())
    }
    draining = undefined
  }

  async function write(batch: Batch, bytes: Buffer): Promise<void> {
    try {
      if (failure !== undefined) throw failure
      await options.mayWrite()
      own.write(bytes)
      if (options.sync) await handle.datasync()
      options.stored(bytes, batch.lines)
      stored += batch.lines
      batch.resolve()
    } catch (thrown) {
      failure ??= options.failed(thrown, stored)
      batch.reject(failure)
    }
  }

  return {
    append(line) {
      const place = lines.add(line)
      waiting ??= emptyBatch()
      waiting.lines += 1
      draining ??= drain()
      return { place, durable: waiting.durable }
    },
    async close() {
      await draining
      try {
        if (failure === undefined) own.cut()
      } catch (thrown) {
        throw options.failed(thrown, stored)
      } finally {
        await handle.close()
      }
    },
  }
}

/**
 * The part of a file that this log wrote. An agent can find the file and append to it, so anything else is cut off.
 * Checking and writing without a pause leaves it no time in between.
 */
function ownPart({ fd }: FileHandle, { position: begin, foreign }: Pick<AppendOptions, 'position' | 'foreign'>) {
  let position = begin
  function cut(): void {
    const { size } = fstatSync(fd)
    if (size < position) throw new Error(`${position - size} bytes of it were removed by somebody else`)
    if (size === position) return
    ftruncateSync(fd, position)
    foreign()
  }
  return {
    /** Truncates the file to the part that this log wrote. */
    cut,
    write(bytes: Buffer): void {
      cut()
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, position + at)
      position += bytes.length
    },
  }
}

function emptyBatch(): Batch {
  let resolve: () => void = () => undefined
  let reject: (reason: unknown) => void = resolve
  const durable = new Promise<void>((kept, broken) => {
    resolve = kept
    reject = broken
  })
  return { lines: 0, durable, resolve, reject }
}

const lineFeed = 0x0a
const firstBytes = 64 * 1024
/** A buffer that one huge line made larger is not kept. */
const keptBytes = 4 * 1024 * 1024

/**
 * The bytes of waiting lines. Garbage collection would move a separate string for each line as long as it waits.
 *
 * @param begin where the first line goes
 */
function lineBuffer(begin: number): { add(line: string): LinePlace; take(): Buffer } {
  let offset = begin
  let filling: Buffer = Buffer.allocUnsafe(firstBytes)
  let spare: Buffer | undefined
  let used = 0
  return {
    /** Adds a line and a line feed. Returns the place of the line. */
    add(line) {
      // No character takes more than three bytes for each of its UTF-16 units: usually no count is needed.
      if (used + 3 * line.length >= filling.length) {
        const needed = used + Buffer.byteLength(line) + 1
        if (needed > filling.length) filling = Buffer.concat([filling.subarray(0, used)], 2 * needed)
      }
      const length = filling.write(line, used)
      used += length
      filling[used] = lineFeed
      used += 1
      const place = { offset, length }
      offset += length + 1
      return place
    },
    /** Returns the waiting bytes, which later lines overwrite. */
    take() {
      const taken = filling
      filling = spare ?? Buffer.allocUnsafe(firstBytes)
      spare = taken.length > keptBytes ? undefined : taken
      const bytes = taken.subarray(0, used)
      used = 0
      return bytes
    },
  }
}
