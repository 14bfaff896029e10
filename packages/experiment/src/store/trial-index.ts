import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, stat } from 'node:fs/promises'
import type { TrialFigures, TrialStage } from '../result/trial-figures.js'
import { type LinePlace, readJsonLines } from './json-lines.js'
import type { RunPaths } from './run-directory.js'
import type { RunHead } from './run-head.js'

/**
 * One line of `trials.jsonl`: the figures of a trial and the place of its record in `items.jsonl`. Empty figures are left
 * out of the line. The last line of the file is a footer. The index is a cache: everything in it follows from `items.jsonl`.
 */
interface IndexLine extends TrialFigures, LinePlace {}

/** Trials in the order of `items.jsonl`, and the place of each. */
export interface IndexedTrials {
  readonly trials: readonly TrialFigures[]
  readonly places: readonly LinePlace[]
}

/** Indexes of other versions have other figures, and are not used. */
export const indexVersion = 2

/** The last line: the state of `items.jsonl` when the index was complete. */
export interface Footer {
  readonly version: number
  readonly items: { readonly bytes: number; readonly modifiedNs: string }
}

/** A line of the index. Reading 100,000 lines takes a quarter less time without figures that say nothing. */
export function indexLine(trial: TrialFigures, { offset, length }: LinePlace): string {
  const line: { [key: string]: unknown } = {}
  // Property by property: spreading an object of this size takes four times as long.
  for (const key in trial)
    if (trial[key as keyof TrialFigures] !== empty[key]) line[key] = trial[key as keyof TrialFigures]
  if (trial.itemSlug === trial.itemId) line['itemSlug'] = undefined
  if (trial.tags.length === 0) line['tags'] = undefined
  line['offset'] = offset
  line['length'] = length
  return JSON.stringify(line)
}

const empty: { readonly [figure: string]: unknown } = {
  failure: null,
  usage: null,
  judgeUsage: null,
  costUsd: null,
  judgeCostUsd: null,
  efficiency: null,
  checks: null,
  failedByError: false,
  judgeTimedOut: false,
  environmentProblem: null,
  reason: '',
}

const none: readonly never[] = Object.freeze([])
const unjudged = Object.freeze({})

/** Restores the figures of one line. Equal lists of stages, and equal judgments, are shared. */
function trialIn(line: Partial<IndexLine>, shared: ReturnType<typeof sharedParts>) {
  const { itemId, itemHash, repetition, bucket, agent, judged, passed, scores, durationMs } = line
  if (typeof itemId !== 'string' || typeof scores !== 'object') unusable()
  const { agentMs, endedAt, stages } = line
  const trial = {
    itemId,
    itemHash,
    repetition,
    bucket,
    agent,
    judged,
    passed,
    itemSlug: line.itemSlug ?? itemId,
    tags: line.tags ?? none,
    failure: line.failure ?? null,
    endedAt,
    durationMs,
    agentMs,
    usage: line.usage ?? null,
    judgeUsage: line.judgeUsage ?? null,
    costUsd: line.costUsd ?? null,
    judgeCostUsd: line.judgeCostUsd ?? null,
    scores,
    efficiency: line.efficiency ?? null,
    checks: line.checks ?? null,
    stages: shared.stages(stages ?? none),
    judges: shared.judges(line.judges ?? unjudged),
    failedByError: line.failedByError ?? false,
    judgeTimedOut: line.judgeTimedOut ?? false,
    environmentProblem: line.environmentProblem ?? null,
    reason: line.reason ?? '',
  } as TrialFigures
  if (line.tried !== undefined) Object.assign(trial, { tried: line.tried })
  return line.user === undefined ? trial : Object.assign(trial, { user: line.user })
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
  const shared = sharedParts()
  const places: LinePlace[] = []
  try {
    const lines = await readJsonLines<TrialFigures>(paths.index, {
      accept(value, _, { length }) {
        if (footer !== undefined) unusable()
        const line = value as Partial<IndexLine & Footer>
        if (line.items === undefined) {
          places.push({ offset: line.offset ?? unusable(), length: line.length ?? unusable() })
          return trialIn(line, shared)
        }
        if (line.version !== indexVersion) unusable()
        footer = { version: indexVersion, items: line.items }
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

/** What many trials have in common is kept once. */
function sharedParts() {
  return {
    stages: shared<readonly TrialStage[]>((stages) => {
      let key = ''
      for (const { name, status } of stages) key += `${name}\n${status}\n`
      return key
    }),
    judges: shared<TrialFigures['judges']>((judges) => {
      let key = ''
      for (const path in judges) key += `${path}\n${judges[path]}\n`
      return key
    }),
  }
}

function shared<Part>(keyOf: (part: Part) => string): (part: Part) => Part {
  const known = new Map<string, Part>()
  return (part) => {
    const key = keyOf(part)
    const same = known.get(key)
    if (same === undefined) known.set(key, part)
    return same ?? part
  }
}

/** Reads records from `items.jsonl` at the places that the index names. */
export async function readLines(file: FileHandle, places: readonly LinePlace[]): Promise<readonly string[]> {
  return Promise.all(
    places.map(async ({ offset, length }) => {
      const bytes = Buffer.alloc(length)
      await file.read(bytes, 0, length, offset)
      return bytes.toString('utf8')
    }),
  )
}
