import { constants, existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { headOf, type LinePart, linePartsOf, type SavedLines, saveLines } from '@jurist/experiment/internal'
import { figuresOf, type RunOverview, type TrialName } from '@jurist/experiment/internal/results'
import type { ItemResult } from '@jurist/experiment/result'
import type { MergePlan, ShardRun } from './merge-plan.js'

/** A stored shard, and the results directory that contains it. */
export interface StoredShard {
  readonly run: RunOverview
  readonly directory: string
}

/** The files of shards. */
interface ShardFiles {
  /** The shards of the plan, where they are stored. */
  readonly shards: readonly StoredShard[]
  /** The directory that the paths of the items' own files are relative to in the merged run. */
  readonly base: string
}

/**
 * Stores the run that overviews of shards make in a results directory, in one step, with what the shards kept. Its trials are
 * copied part by part, in result order, so that the bytes of `items.jsonl` depend on the shards only. Returns its overview, which
 * is not read from the files again.
 *
 * @param files default: the shards have no files
 * @throws `store-failed`; then there is no run
 */
export async function storeMerged(plan: MergePlan, directory: string, files?: ShardFiles): Promise<RunOverview> {
  const { shards = [], base = directory } = files ?? {}
  const movers = new Map(shards.map((shard) => [shard.run.id, lineMover(shard.directory, base)]))
  return await saveLines(directory, {
    head: headOf(plan.record),
    trials: plan.order.map(({ trial }) => ('verdict' in trial ? figuresOf(trial) : trial)),
    lines: () => mergedLines(plan, ({ id }) => movers.get(id)),
    keep: (place) => copyKept(shards, place),
  })
}

/** The directories of a run for files of its trials. In each of them, a trial has its own place. */
const kept = ['workspaces', 'journal', 'agent'] as const

/** Copies the kept files of shards into the directory of the merged run, where the trials find them under the same paths. */
async function copyKept(shards: readonly StoredShard[], place: string): Promise<void> {
  for (const { run, directory } of shards)
    for (const name of kept) {
      const source = join(directory, run.experimentName, run.id, name)
      if (!existsSync(source)) continue
      // Links of an agent stay links, and their targets are not copied.
      await cp(source, join(place, name), {
        recursive: true,
        verbatimSymlinks: true,
        mode: constants.COPYFILE_FICLONE,
      })
    }
}

/** How much is written at a time. */
const writtenBytes = 1024 * 1024

/** How much of all shards is in memory, and of one of them at least: opening a file again takes as long as reading some 20 lines. */
const [readBytes, leastBytes] = [16 * 1024 * 1024, 32 * 1024]

/** The lines in result order. The neighbours of a trial are in other shards, so each line is copied once. */
async function* mergedLines(
  { shards, order }: MergePlan,
  moverOf: (shard: ShardRun) => LineMover | undefined,
): AsyncGenerator<SavedLines> {
  const own = shards.map((): TrialName[] => [])
  for (const { trial, shard } of order) own[shard]?.push(trial)
  const partBytes = Math.max(leastBytes, Math.floor(readBytes / shards.length))
  const sources = shards.map((shard, index) =>
    shardLines(shard, own[index] ?? [], { partBytes, mover: moverOf(shard) }),
  )
  await Promise.all(sources.map((source) => source.ready()))
  let bytes = Buffer.allocUnsafe(writtenBytes)
  let [used, lengths]: [number, number[]] = [0, []]
  for (const { shard } of order) {
    const source = sources[shard]
    if (source === undefined) continue
    const reading = source.ready()
    if (reading !== undefined) await reading
    const line = source.take()
    if (used + line.length >= bytes.length) {
      if (used > 0) yield { bytes: bytes.subarray(0, used), lengths }
      ;[used, lengths] = [0, []]
      if (line.length >= bytes.length) bytes = Buffer.allocUnsafe(line.length + 1)
    }
    used += line.copy(bytes, used)
    bytes[used++] = lineFeed
    lengths.push(line.length)
  }
  if (used > 0) yield { bytes: bytes.subarray(0, used), lengths }
}

const lineFeed = 0x0a

/** The lines of one shard, one after the other. */
interface ShardLines {
  /** Reads on when every line that was read is taken; what `take` returned is overwritten then. `undefined`: there is one. */
  ready(): Promise<void> | undefined
  /** The next line. */
  take(): Buffer
}

/** Changes lines of `items.jsonl` of a shard as their new place asks for. */
interface LineMover {
  /** Whether any of some lines may change. */
  mayChange(lines: Buffer): boolean
  changed(line: Buffer): Buffer
}

/** A line without any of these does not contain a path of its item. In the text of a task, their quotes would be escaped. */
const pathNames = ['"beforePath":"', '"referencePath":"'].map((name) => Buffer.from(name))

/**
 * Rewrites the paths of the items' files for another results directory. A path that leads nowhere from the shard, as in a bundle
 * of another machine, stays unchanged: it was written in a directory like the other one.
 */
function lineMover(from: string, to: string): LineMover {
  const known = new Map<string, string>()
  function moved(path: string | null): string | null {
    if (path === null || isAbsolute(path)) return path
    const place = known.get(path) ?? placeFrom(path)
    known.set(path, place)
    return place
  }
  function placeFrom(path: string): string {
    const place = resolve(from, path)
    return existsSync(place) ? relative(to, place).split(sep).join('/') : path
  }
  const mayChange = (lines: Buffer) => pathNames.some((name) => lines.includes(name))
  return {
    mayChange,
    changed(line) {
      if (!mayChange(line)) return line
      const item = JSON.parse(line.toString()) as ItemResult
      const [beforePath, referencePath] = [moved(item.beforePath), moved(item.referencePath)]
      return Buffer.from(JSON.stringify({ ...item, beforePath, referencePath }))
    },
  }
}

interface BufferedPart extends LinePart {
  readonly bytes: Buffer
}

/** A shard may have no trial. */
const nothing: BufferedPart = { bytes: Buffer.alloc(0), lines: [] }

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)

/** Reads the lines of trials of a shard, about `partBytes` at a time. */
function shardLines(
  shard: ShardRun,
  trials: readonly TrialName[],
  { partBytes, mover }: { readonly partBytes: number; readonly mover: LineMover | undefined },
): ShardLines {
  const parts = linePartsOf(shard, trials, partBytes)
  let part = nothing
  let taken = 0
  let changed: LineMover['changed'] | undefined
  async function readOn(): Promise<void> {
    const { value, done } = await parts.next()
    part = done === true ? nothing : { bytes: bufferOf(value.bytes), lines: value.lines }
    changed = mover?.mayChange(part.bytes) === true ? mover.changed : undefined
    taken = 0
  }
  return {
    ready: () => (taken < part.lines.length ? undefined : readOn()),
    take() {
      const { offset = 0, length = 0 } = part.lines[taken] ?? {}
      taken += 1
      const line = part.bytes.subarray(offset, offset + length)
      return changed?.(line) ?? line
    },
  }
}
