import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '@jurist/experiment/internal'
import { parseOrUndefined } from '@jurist/kit/json'
import * as v from 'valibot'
import { ratchetRefused } from './refused.js'
import { hashOf } from './versions.js'

const entrySchema = v.strictObject({
  /** 1 is the first. */
  seq: v.number(),
  at: v.string(),
  kind: v.picklist(['init', 'rehearsal', 'look', 'answer', 'report', 'renew', 'seen', 'ignored']),
  /** The hash of the editable files of a version. */
  tree: v.string(),
  /** Units that are better and worse than those of the kept version. */
  b: v.exactOptional(v.number()),
  w: v.exactOptional(v.number()),
  p: v.exactOptional(v.number()),
  level: v.exactOptional(v.number()),
  accepted: v.exactOptional(v.boolean()),
  /** Why a look was not accepted, unless its p value explains it. */
  reason: v.exactOptional(v.picklist(['undecided', 'late', 'failed', 'abandoned'])),
  /** The hash of hidden trials: those of the version to beat for a look, those of the candidate for its answer. */
  trials: v.exactOptional(v.string()),
  /** Changed paths that were not taken. */
  paths: v.exactOptional(v.array(v.string())),
  /** The commit of an accepted version, or of the start. */
  commit: v.exactOptional(v.string()),
  /** The run with the trials of the entry. */
  run: v.exactOptional(v.nullable(v.string())),
  /** The entry that was looked at. */
  seen: v.exactOptional(v.number()),
  /** Hashes of the plan and of the files that judge, of the first entry. */
  plan: v.exactOptional(v.string()),
  pinned: v.exactOptional(v.string()),
  /** The hash of the entry before; `null`: it is the first. */
  previous: v.nullable(v.string()),
  /** SHA-256 of the canonical JSON of the entry without this field. */
  hash: v.string(),
})

/** One entry of a log. */
export type Entry = v.InferOutput<typeof entrySchema>

type NewEntry = Omit<Entry, 'seq' | 'at' | 'previous' | 'hash'>

/** The entries of a ratchet: each has the hash of the one before, and is on the disk when `append` returns. */
export interface Log {
  readonly entries: readonly Entry[]
  append(entry: NewEntry): Promise<Entry>
}

/**
 * Reads and checks a log. An entry that a crash cut off never counted, and is left out.
 *
 * @throws `ratchet-refused` naming the entry that is missing or changed
 */
export async function readLog(directory: string, ratchet: string): Promise<Log> {
  const [file, head] = [join(directory, 'log.jsonl'), join(directory, 'head.json')]
  const text = await readFile(file, 'utf8').catch(() => '')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  let size = Buffer.byteLength(whole)
  const entries: Entry[] = []
  const broken = (seq: number) =>
    ratchetRefused(
      ratchet,
      `The log ${file} is broken at entry ${seq}: it was changed, or an entry is missing. Begin a new ratchet.`,
    )
  for (const line of whole.split('\n').slice(0, -1)) {
    const read = v.safeParse(entrySchema, parseOrUndefined(line))
    if (!read.success) throw broken(entries.length + 1)
    const { hash, ...rest } = read.output
    const isNext = rest.seq === entries.length + 1 && rest.previous === (entries.at(-1)?.hash ?? null)
    if (!isNext || hash !== hashOf(rest)) throw broken(entries.length + 1)
    entries.push(read.output)
  }
  // The last entries would be missed by nothing else. A crash may leave the head one entry behind.
  const known = v.safeParse(headSchema, parseOrUndefined(await readFile(head, 'utf8').catch(() => '')))
  const { seq, hash } = known.success ? known.output : { seq: 0, hash: undefined }
  if (entries[seq - 1]?.hash !== hash || entries.length > seq + 1) throw broken(Math.min(seq, entries.length) + 1)
  return {
    entries,
    async append(entry) {
      const next = {
        ...{ seq: entries.length + 1, at: new Date().toISOString() },
        ...entry,
        previous: entries.at(-1)?.hash ?? null,
      }
      const added = { ...next, hash: hashOf(next) }
      const line = `${JSON.stringify(added)}\n`
      await using handle = await open(file, 'a', 0o600)
      await handle.truncate(size)
      await handle.writeFile(line)
      await handle.sync()
      size += Buffer.byteLength(line)
      const newest = JSON.stringify({ seq: added.seq, hash: added.hash })
      await replaceFile(head, newest, { temporary: directory, sync: true })
      entries.push(added)
      return added
    },
  }
}

const headSchema = v.object({ seq: v.number(), hash: v.string() })
