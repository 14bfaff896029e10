import { dirname, resolve } from 'node:path'
import type { Cassette, CassetteStore } from '@jurist/core/llm'
import { regularFileText } from '@jurist/kit/regular-file'
import * as v from 'valibot'
import { record } from '../fields.js'
import { ifThere, makeDirectory, onDisk, replaceFile } from './disk.js'
import { alone } from './lock.js'
import { checkedRecord, parsedRecord } from './stored-record.js'

const format = 'jurist-cassette/1'
/**
 * A cassette in a file, as JSON that people can read and keep beside their tests. Several processes may record into it
 * together: saving merges the entries added and removed in this process into the present content of the file.
 *
 * @throws `record-invalid` for a file that is not a cassette, `store-failed` when the disk refuses, or when the file stays
 * locked for 30 s
 *
 * @example
 * import { replay, wrapModel } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 * import { cassetteFile } from '@jurist/experiment/store'
 *
 * const model = wrapModel(
 *   scriptedModel('Answer: YES'),
 *   replay(cassetteFile('test/judges.cassette.json'), { mode: 'auto' }),
 * )
 */
export function cassetteFile(file: string): CassetteStore {
  const path = resolve(file)
  /** The entries of the file when it was last read. */
  let known: Cassette['entries'] | undefined
  return Object.freeze<CassetteStore>({
    async load() {
      const cassette = await cassetteIn(path)
      known = cassette?.entries ?? []
      return cassette
    },
    async save({ entries }) {
      const directory = dirname(path)
      await makeDirectory(directory, false)
      await alone(path, async () => {
        const held = (await cassetteIn(path))?.entries ?? []
        const cassette: Cassette = { format, entries: merged(held, known ?? held, entries, known !== undefined) }
        await replaceFile(path, `${JSON.stringify(cassette, undefined, 2)}\n`, { sync: false, temporary: directory })
        known = entries
      })
    },
  })
}

/** The entries of the file, without those removed since `before`, with those added. */
function merged(
  held: Cassette['entries'],
  before: Cassette['entries'],
  after: Cassette['entries'],
  mayRemove: boolean,
): Cassette['entries'] {
  const kept = mayRemove ? without(held, without(before, after)) : held
  return [...kept, ...without(after, before)]
}

/** The entries that are left when each of `others` has taken one equal to it away. */
function without(entries: Cassette['entries'], others: Cassette['entries']): Cassette['entries'] {
  const counts = new Map<string, number>()
  for (const other of others) {
    const text = JSON.stringify(other)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return entries.filter((entry) => {
    const text = JSON.stringify(entry)
    const count = counts.get(text) ?? 0
    counts.set(text, count - 1)
    return count <= 0
  })
}

async function cassetteIn(path: string): Promise<Cassette | undefined> {
  const text = await onDisk('read', path, () => ifThere(regularFileText(path)))
  return text === undefined ? undefined : checkedRecord(cassetteSchema, parsedRecord(text, path), path)
}

const cassetteSchema: v.GenericSchema<unknown, Cassette> = v.pipe(
  record,
  v.object({
    format: v.literal(format),
    entries: v.array(
      v.custom<Cassette['entries'][number]>(
        (entry) => v.is(entrySchema, entry),
        'an entry is { key, messages, response }',
      ),
    ),
  }),
)
const entrySchema = v.looseObject({ key: v.string(), messages: v.array(v.unknown()), response: record })
