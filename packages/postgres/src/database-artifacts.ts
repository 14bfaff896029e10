import { randomUUID } from 'node:crypto'
import { JuristError } from '@jurist/core'
import type { ArtifactStore } from './artifact-store.js'
import type { Database } from './database.js'

const partBytes = 1024 * 1024

/** Artifacts in the database, in parts of one MiB. */
export function databaseArtifacts({ schema, rows, address }: Database): ArtifactStore {
  return {
    async put({ run }, from) {
      const reference = `${run}/${randomUUID()}`
      let part = 0
      for await (const content of inParts(from)) {
        await rows(
          `insert into ${schema}.file_parts (run, reference, part, content) values ($1, $2, $3, $4) on conflict do nothing`,
          [run, reference, part, content],
        )
        part += 1
      }
      return reference
    },
    async get(reference) {
      const run = reference.slice(0, reference.indexOf('/'))
      const text = `select content from ${schema}.file_parts where run = $1 and reference = $2 and part = $3`
      const partAt = async (part: number) =>
        (await rows<{ readonly content: Uint8Array }>(text, [run, reference, part]))[0]?.content
      if ((await partAt(0)) === undefined)
        throw new JuristError('store-failed', `The database ${address} no longer has the file ${reference}.`, {
          path: reference,
        })
      return partsFrom(partAt)
    },
    async remove(run, refs) {
      await rows(`delete from ${schema}.file_parts where run = $1 and ($2::text[] is null or reference = any($2))`, [
        run,
        refs ?? null,
      ])
    },
  }
}

async function* partsFrom(partAt: (part: number) => Promise<Uint8Array | undefined>) {
  for (let part = 0; ; part += 1) {
    const content = await partAt(part)
    if (content === undefined) return
    yield content
  }
}

/** The same bytes in parts of one size; one part at least. */
async function* inParts(from: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let waiting: Uint8Array[] = []
  let bytes = 0
  let made = 0
  for await (const some of from) {
    waiting.push(some)
    bytes += some.length
    if (bytes < partBytes) continue
    yield Buffer.concat(waiting)
    made += 1
    waiting = []
    bytes = 0
  }
  if (bytes > 0 || made === 0) yield Buffer.concat(waiting)
}
