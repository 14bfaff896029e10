import type { ArtifactKey, ArtifactRef } from './artifact-store.js'
import type { Database, Rows } from './database.js'
import type { Packed, Packing } from './packed-files.js'

/** A kept file or directory of a run. */
export interface FileRow extends Packed, ArtifactKey {
  readonly ref: ArtifactRef
}

/** Which files of runs are kept, and where. */
export interface FileRows {
  /** Notes a file, and returns the artifacts that it replaces. */
  put(row: FileRow): Promise<readonly ArtifactRef[]>
  /** Those at some paths of a run, and those that are of the run itself, directly in its directory. Default: all. */
  of(run: string, paths?: readonly string[]): Promise<readonly FileRow[]>
  remove(run: string): Promise<void>
}

/** The table of kept files. */
export function fileRows({ schema, rows }: Database): FileRows {
  const columns = 'run, path, packing, bytes::int as bytes, sha256, reference as ref'
  return {
    put: (row) => noteFile(rows, schema, row),
    of: (run, paths) =>
      rows<FileRow>(
        `select ${columns} from ${schema}.files 
          where run = $1 and ($2::text[] is null or path = any($2) or position('/' in path) = 0)`,
        [run, paths ?? null],
      ),
    async remove(run) {
      await rows(`delete from ${schema}.files where run = $1`, [run])
    },
  }
}

/** Notes a file, and returns the artifacts that it replaces. */
export async function noteFile(
  ask: Rows,
  schema: string,
  { run, path, packing, bytes, sha256, ref }: FileRow,
): Promise<readonly ArtifactRef[]> {
  const replaced = await ask<{ readonly ref: ArtifactRef | null }>(
    `with earlier as (select reference from ${schema}.files where run = $1 and path = $2),
      stored as (insert into ${schema}.files (run, path, packing, bytes, sha256, reference) values ($1, $2, $3, $4, $5, $6)
        on conflict (run, path) do update set packing = excluded.packing, bytes = excluded.bytes,
          sha256 = excluded.sha256, reference = excluded.reference)
      select reference as ref from earlier`,
    [run, path, packing satisfies Packing, bytes, sha256, ref],
  )
  return replaced.flatMap((earlier) => (earlier.ref === null || earlier.ref === ref ? [] : [earlier.ref]))
}
