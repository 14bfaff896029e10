import { createHash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import type { ItemResult } from '../result/records.js'
import type { TrialFigures } from '../result/trial-figures.js'
import { figuresOf } from '../result/trial-outcome.js'
import type { LinePlace } from './json-lines.js'
import type { RunPaths } from './run-directory.js'
import { type Footer, type IndexedTrials, indexVersion, withoutEmpty } from './trial-index.js'

/** The index of a run that is being written. */
interface GrowingIndex extends IndexedTrials {
  /** Adds a trial whose record is on the disk. */
  add(item: ItemResult, place: LinePlace): Promise<void>
  /** Completes and closes the index. `indexSha256` is absent where there is no index. */
  complete(): Promise<{ readonly indexSha256?: string }>
  close(): Promise<void>
}

/**
 * The index of a run that goes on, from the trials that were stored before. The file is not touched before a trial is added
 * or the run ends.
 */
export function growingIndex(
  paths: Pick<RunPaths, 'items' | 'index'>,
  { items, places }: { readonly items: readonly ItemResult[]; readonly places: readonly LinePlace[] },
): GrowingIndex {
  const trials = items.map(figuresOf)
  const all = [...places]
  let opening: Promise<IndexWriter> | undefined
  const writer = () => {
    opening ??= begunIndex(paths, { trials: trials.slice(0, items.length), places })
    return opening
  }
  return {
    trials,
    places: all,
    async add(item, place) {
      const trial = figuresOf(item)
      trials.push(trial)
      all.push(place)
      const { add } = await writer()
      add(trial, place)
    },
    async complete() {
      const { complete, close } = await writer()
      const indexSha256 = await complete().finally(close)
      return indexSha256 === undefined ? {} : { indexSha256 }
    },
    async close() {
      await (await opening)?.close()
    },
  }
}

async function begunIndex(
  paths: Pick<RunPaths, 'items' | 'index'>,
  { trials, places }: IndexedTrials,
): Promise<IndexWriter> {
  const writer = await indexWriter(paths)
  for (const [index, trial] of trials.entries()) writer.add(trial, places[index] as LinePlace)
  return writer
}

/** Writes the index of a run. Where the disk refuses, there is no index, and the run goes on. */
interface IndexWriter {
  add(trial: TrialFigures, place: LinePlace): void
  /** Completes the index of trials that are all on the disk, and returns its checksum. `undefined`: there is no index. */
  complete(): Promise<string | undefined>
  /** Closes the file. Without `complete` the index stays without a footer, and is not used. */
  close(): Promise<void>
}

const flushLength = 64 * 1024

/** Begins the index of a run anew. */
async function indexWriter(paths: Pick<RunPaths, 'items' | 'index'>): Promise<IndexWriter> {
  const handle = await open(paths.index, 'w', 0o644).catch(() => undefined)
  const hash = createHash('sha256')
  let lines = ''
  let writing: Promise<unknown> = Promise.resolve()
  let failed = handle === undefined

  function write(text: string): void {
    writing = writing
      .then(() => (failed ? undefined : handle?.appendFile(text)))
      .catch(() => {
        failed = true
      })
  }

  function flush(): void {
    hash.update(lines)
    write(lines)
    lines = ''
  }

  return {
    add(trial, place) {
      lines += `${JSON.stringify(withoutEmpty({ ...trial, ...place }))}\n`
      if (lines.length > flushLength) flush()
    },
    async complete() {
      flush()
      const items = await stat(paths.items, { bigint: true }).catch(() => undefined)
      if (items === undefined) return undefined
      const footer: Footer = {
        version: indexVersion,
        items: { bytes: Number(items.size), modifiedNs: String(items.mtimeNs) },
      }
      write(`${JSON.stringify(footer)}\n`)
      await writing
      return failed ? undefined : hash.digest('hex')
    },
    async close() {
      await writing
      await handle?.close().catch(() => undefined)
    },
  }
}
