import { createHash } from 'node:crypto'
import { appendFileSync, closeSync, createReadStream, openSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { figuresOf, figuresReader, figuresVersion } from '../result/item-figures.js'
import type { ItemResult } from '../result/records.js'
import type { LinePlace, TrialFigures } from '../result/trial-figures.js'
import { readJsonLines } from './json-lines.js'
import type { RunPaths } from './run-directory.js'
import type { RunHead } from './run-head.js'

/**
 * One line of `trials.jsonl`: the place of a trial in `items.jsonl`, and its figures. The last line of the file is a footer.
 * The index is a cache: everything in it follows from `items.jsonl`.
 */
interface IndexLine extends LinePlace {
  readonly trial: TrialFigures
}

/** Trials in the order of `items.jsonl`, and the place of each. */
export interface IndexedTrials {
  readonly trials: readonly TrialFigures[]
  readonly places: readonly LinePlace[]
}

/** The last line: the state of `items.jsonl` when the index was complete. */
interface Footer {
  readonly version: number
  readonly items: { readonly bytes: number; readonly modifiedNs: string }
}

/**
 * The trials in the index of a run that has ended, in the order of `items.jsonl`. `undefined`: the index is missing or
 * damaged, or `items.jsonl` has changed since.
 */
export async function readIndex(
  paths: Pick<RunPaths, 'items' | 'index'>,
  { stored }: Pick<RunHead, 'stored'>,
): Promise<IndexedTrials | undefined> {
  const hash = createHash('sha256')
  let pending: Buffer | undefined
  let footer: Footer | undefined
  const trialIn = figuresReader()
  const places: LinePlace[] = []
  try {
    const lines = await readJsonLines<TrialFigures>(paths.index, {
      accept(value, _, { length }) {
        if (footer !== undefined) unusable()
        const line = value as Partial<IndexLine & Footer>
        if (line.trial !== undefined) {
          places.push({ offset: line.offset ?? unusable(), length: line.length ?? unusable() })
          return trialIn(line.trial)
        }
        const { version, items } = line
        if (version !== figuresVersion || items === undefined) return unusable()
        footer = { version, items }
        pending = pending?.subarray(0, pending.length - length - 1)
        return undefined
      },
      damaged: unusable,
      passed(bytes) {
        if (pending !== undefined) hash.update(pending)
        pending = Buffer.from(bytes)
      },
    })
    if (lines === undefined || lines.torn || footer === undefined) return undefined
    if (stored?.indexSha256 !== undefined && stored.indexSha256 !== hash.update(pending ?? '').digest('hex'))
      return undefined
    return (await isOf(footer, paths, stored)) ? { trials: lines.values, places } : undefined
  } catch {
    return undefined
  }
}

/** Whether an index is of the items as they are now. A copy of a run has other times, and the same checksum. */
async function isOf({ items }: Footer, paths: Pick<RunPaths, 'items'>, stored: RunHead['stored']): Promise<boolean> {
  const { size, mtimeNs } = await stat(paths.items, { bigint: true })
  if (Number(size) !== items.bytes) return false
  if (String(mtimeNs) === items.modifiedNs) return true
  return stored !== undefined && (await sha256Of(paths.items)) === stored.sha256
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of createReadStream(path)) hash.update(part)
  return hash.digest('hex')
}

function unusable(): never {
  throw new TypeError('The index cannot be used.')
}

/** The index of a run that is being written. */
interface GrowingIndex extends IndexedTrials {
  /** Adds a trial whose record is on the disk. */
  add(item: ItemResult, place: LinePlace): void
  /** Completes and closes the index. `indexSha256` is absent where there is no index. */
  complete(): Promise<{ readonly indexSha256?: string }>
  close(): Promise<void>
}

/**
 * The index of a run that continues, from the trials that were stored before. The file is not touched before a trial is added
 * or the run ends.
 */
export function growingIndex(paths: Pick<RunPaths, 'items' | 'index'>, stored: IndexedTrials): GrowingIndex {
  const trials = [...stored.trials]
  const all = [...stored.places]
  let begun: IndexWriter | undefined
  const writer = () => {
    begun ??= begunIndex(paths, { trials, places: all })
    return begun
  }
  return {
    trials,
    places: all,
    add(item, place) {
      const trial = figuresOf(item)
      writer().add(trial, place)
      trials.push(trial)
      all.push(place)
    },
    async complete() {
      const { complete, close } = writer()
      const indexSha256 = await complete().finally(close)
      return indexSha256 === undefined ? {} : { indexSha256 }
    },
    async close() {
      begun?.close()
    },
  }
}

function begunIndex(paths: Pick<RunPaths, 'items' | 'index'>, { trials, places }: IndexedTrials): IndexWriter {
  const writer = indexWriter(paths)
  for (const [index, trial] of trials.entries()) writer.add(trial, places[index] as LinePlace)
  return writer
}

interface IndexWriter {
  add(trial: TrialFigures, place: LinePlace): void
  /** Completes the index after all trials are on the disk, and returns its checksum. `undefined`: no index is written. */
  complete(): Promise<string | undefined>
  /** Closes the file. Without `complete` the index stays without a footer, and is not used. */
  close(): void
}

const flushLength = 64 * 1024

/** Starts the index of a run from the beginning. */
function indexWriter(paths: Pick<RunPaths, 'items' | 'index'>): IndexWriter {
  const hash = createHash('sha256')
  const file = indexFile(paths.index)
  let lines = ''

  function flush(): void {
    const bytes = Buffer.from(lines)
    hash.update(bytes)
    file.write(bytes)
    lines = ''
  }

  return {
    add(trial, place) {
      lines += `${JSON.stringify({ ...place, trial } satisfies IndexLine)}\n`
      if (lines.length > flushLength) flush()
    },
    async complete() {
      flush()
      const items = await stat(paths.items, { bigint: true }).catch(() => undefined)
      if (items === undefined) return undefined
      const footer: Footer = {
        version: figuresVersion,
        items: { bytes: Number(items.size), modifiedNs: String(items.mtimeNs) },
      }
      file.write(`${JSON.stringify(footer)}\n`)
      return file.isWhole() ? hash.digest('hex') : undefined
    },
    close: file.close,
  }
}

/** A file that may fail: the index is a cache, and the run continues without one. */
function indexFile(path: string) {
  let file: number | undefined
  let isWhole = true
  function attempt(action: () => void): void {
    try {
      if (isWhole) action()
    } catch {
      isWhole = false
    }
  }
  attempt(() => {
    file = openSync(path, 'w', 0o644)
  })
  return {
    isWhole: () => isWhole,
    write: (content: string | Buffer) => attempt(() => appendFileSync(file as number, content)),
    close() {
      if (file !== undefined) closeSync(file)
    },
  }
}
