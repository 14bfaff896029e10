import { createHash } from 'node:crypto'
import { createReadStream, fstatSync, ftruncateSync, writeSync } from 'node:fs'
import { constants, type FileHandle, open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { JuristError } from '@jurist/core'
import { figuresOf } from '../result/item-figures.js'
import type { ItemResult } from '../result/records.js'
import type { LinePlace, SummarizedTrial } from '../result/trial-figures.js'
import { diskFailure, onDisk, replaceFile, syncDirectory, type Writing } from './disk.js'
import type { Lock } from './lock.js'
import { shown, writerClosed } from './names.js'
import type { RunPaths } from './run-directory.js'
import { endedHead, type RunHead, type StoredSum } from './run-head.js'
import type { RunWriter } from './store.js'
import { runHeadToJson } from './stored-record.js'
import { indexedOverview } from './stored-run.js'
import { growingIndex } from './trial-index.js'

/** A writer takes ownership of the lock. */
export interface FileWriting {
  readonly paths: RunPaths
  readonly head: RunHead
  /** Whether the stored head has the status `running`. If not, the head is rewritten before the first addition. */
  readonly begun: boolean
  /** Trials stored before, and the lines and bytes of the file that they are in. */
  readonly items: readonly ItemResult[]
  readonly places: readonly LinePlace[]
  readonly lines: number
  readonly wholeBytes: number
  /** Receives warnings about the files, which do not end the run. */
  readonly warn: (message: string) => void
  readonly lock: Lock
  readonly writing: Writing
  /** Receives the run when it has ended and its directory is final. */
  readonly ended: (run: { readonly head: RunHead; readonly items: readonly SummarizedTrial[] }) => Promise<void>
}

/**
 * Opens the files of a run to write them. The items go to `items.jsonl`, their figures to the index `trials.jsonl`. Memory
 * keeps the figures of each trial only.
 */
export async function fileWriter(options: FileWriting): Promise<RunWriter> {
  const { paths, lock, ended } = options
  const runId = options.head.id
  const file = headFile(options)
  const index = growingIndex(paths, { trials: options.items.map(figuresOf), places: options.places })
  const sum = await fileSum(paths.items, options)
  const log = await openLog({ ...options, mayWrite: file.begin, stored: sum.add })
  let open = true

  function mustBeOpen(): void {
    if (!open) writerClosed(runId, paths.directory)
  }

  async function close(): Promise<void> {
    open = false
    await orRelease(lock, log.close())
  }

  return {
    runId,
    directory: paths.directory,
    async append(item) {
      mustBeOpen()
      const { place, durable } = log.append(JSON.stringify(item))
      await durable
      index.add(item, place)
    },
    async extend(plan) {
      mustBeOpen()
      await file.write({ ...file.head, ...plan })
    },
    async finish(ending) {
      mustBeOpen()
      await mustHave(lock, runId, paths)
      await close()
      const head = endedHead(file.head, ending, { ...sum.now(), ...(await index.complete()) })
      await file.write(head).finally(() => lock.release())
      await ended({ head, items: index.trials })
      return await indexedOverview(paths, head, index, options.warn)
    },
    async release() {
      if (!open) return
      await close()
        .finally(() => lock.release())
        .finally(() => index.close())
    },
  }
}

/** The head of a run that is being written. Each function throws `store-failed` when another writer has the run. */
function headFile({ paths, lock, writing, begun: begunBefore, head: first }: FileWriting) {
  let head = first
  let begun = begunBefore
  async function write(next: RunHead): Promise<void> {
    await mustHave(lock, first.id, paths)
    head = next
    await writeHead(paths, head, writing)
    begun = true
  }
  return {
    get head() {
      return head
    },
    write,
    /** Called before items are written: the first time the run becomes a running one. */
    async begin(): Promise<void> {
      if (begun) await mustHave(lock, first.id, paths)
      else await write(head)
    },
  }
}

const foreignLines =
  'something was added to the file that this run has not written, and was cut off. An agent that is not isolated can do that.'

interface Logging extends Pick<FileWriting, 'paths' | 'writing' | 'items' | 'wholeBytes' | 'warn'> {
  readonly mayWrite: () => Promise<void>
  /** Called with the lines that are on the disk now. */
  readonly stored: (bytes: Buffer, lines: number) => void
}

async function openLog(logging: Logging): Promise<AppendLog> {
  const { paths, writing, wholeBytes, warn, mayWrite, stored } = logging
  const storedBefore = logging.items.length
  // Not opened to append: every line has its place, whatever another process adds.
  const flags = constants.O_RDWR | constants.O_CREAT
  const handle = await onDisk('open', paths.items, () => open(paths.items, flags, 0o644))
  if (writing.sync) await syncDirectory(paths.directory)
  return appendLog(handle, {
    sync: writing.sync,
    position: wholeBytes,
    mayWrite,
    foreign: () => warn(`${shown(paths.items)}: ${foreignLines}`),
    stored,
    failed: (thrown, count) => diskFailure('write', paths.items, thrown, `${storedBefore + count} trials are stored.`),
  })
}

export async function writeHead(paths: RunPaths, head: RunHead, writing: Writing): Promise<void> {
  await replaceFile(paths.head, runHeadToJson(head), writing)
}

/** Throws `store-failed` when another process has taken the lock over. */
async function mustHave(held: Lock, id: string, { lock }: RunPaths): Promise<void> {
  if (await held.isOurs()) return
  throw new JuristError(
    'store-failed',
    `${shown(lock)} was taken over by another process, as this one was silent for too long. Resume run ${id} when ` +
      'that one has ended.',
    { path: lock },
  )
}

/** Releases the lock if the action fails. */
async function orRelease(lock: Lock, action: Promise<void>): Promise<void> {
  try {
    await action
  } catch (thrown) {
    await lock.release()
    throw thrown
  }
}

/** Checksum of a growing file. */
interface FileSum {
  add(bytes: Buffer, lines: number): void
  now(): StoredSum
}

/** The checksum of the first bytes of a file and of all later additions. */
async function fileSum(
  path: string,
  { lines: linesBefore, wholeBytes }: { readonly lines: number; readonly wholeBytes: number },
): Promise<FileSum> {
  const hash = createHash('sha256')
  let bytes = wholeBytes
  let lines = linesBefore
  if (wholeBytes > 0)
    await onDisk('read', path, async () => {
      for await (const part of createReadStream(path, { end: wholeBytes - 1 })) hash.update(part)
    })
  return {
    add(part, added) {
      hash.update(part)
      bytes += part.length
      lines += added
    },
    now: () => ({ lines, bytes, sha256: hash.copy().digest('hex') }),
  }
}

interface AppendLog {
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
  readonly lines: Buffer[]
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
  /** Receives the bytes of whole lines that are on the disk now, and their number. */
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
  const own = ownPart(handle, options)
  let waiting: Batch | undefined
  let draining: Promise<void> | undefined
  let failure: Error | undefined
  let stored = 0
  let end = options.position

  async function drain(): Promise<void> {
    // Lines that are appended in the current turn of the event loop join the first write.
    await setImmediate()
    while (waiting !== undefined) {
      const batch = waiting
      waiting = undefined
      await write(batch)
    }
    draining = undefined
  }

  async function write(batch: Batch): Promise<void> {
    try {
      if (failure !== undefined) throw failure
      const bytes = Buffer.concat(batch.lines)
      await options.mayWrite()
      own.write(bytes)
      if (options.sync) await handle.datasync()
      options.stored(bytes, batch.lines.length)
      stored += batch.lines.length
      batch.resolve()
    } catch (thrown) {
      failure ??= options.failed(thrown, stored)
      batch.reject(failure)
    }
  }

  return {
    append(line) {
      const bytes = Buffer.from(`${line}\n`)
      const place = { offset: end, length: bytes.length - 1 }
      end += bytes.length
      waiting ??= emptyBatch()
      waiting.lines.push(bytes)
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
  return { lines: [], durable, resolve, reject }
}
