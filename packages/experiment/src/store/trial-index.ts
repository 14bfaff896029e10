import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { TrialFigures } from '../result/trial-figures.js'
import { figuresLine, figuresReader, figuresVersion } from './figures-line.js'
import { type LinePlace, readJsonLines } from './json-lines.js'
import type { RunPaths } from './run-directory.js'
import type { RunHead } from './run-head.js'

/**
 * One line of `trials.jsonl`: the figures of a trial and the place of its record in `items.jsonl`. The last line of the file is a footer. The index is a cache: everything in it follows from `items.jsonl`.
 */
interface IndexLine extends TrialFigures, LinePlace {}

/** Trials in the order of `items.jsonl`, and the place of each. */
export interface IndexedTrials {
  readonly trials: readonly TrialFigures[]
  readonly places: readonly LinePlace[]
}

/** The last line: the state of `items.jsonl` when the index was complete. */
export interface Footer {
  readonly version: number
  readonly items: { readonly bytes: number; readonly modifiedNs: string }
}

/** A line of the index. */
export function indexLine(trial: TrialFigures, place: LinePlace): string {
  return JSON.stringify(figuresLine(trial, place))
}

/**
 * The trials in the index of a run that has ended, in the order of `items.jsonl`. `undefined`: there is no index, it is
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
        if (line.items === undefined) {
          places.push({ offset: line.offset ?? unusable(), length: line.length ?? unusable() })
          return trialIn(line)
        }
        if (line.version !== figuresVersion) unusable()
        footer = { version: figuresVersion, items: line.items }
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
