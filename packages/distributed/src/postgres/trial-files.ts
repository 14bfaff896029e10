import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import type { ItemResult } from '@jurist/experiment/result'
import { temporaryDirectory } from '@jurist/workspace/internal'
import type { ArtifactKey, ArtifactRef, ArtifactStore } from './artifact-store.js'
import type { Database, Rows } from './database.js'
import { type Packed, type Packing, pack, unpack } from './packed-files.js'

/** Where the files of runs are kept. */
export interface FilePlaces {
  readonly table: FileRows
  readonly artifacts: ArtifactStore
  readonly maxBytes: number
}

/** A file or directory of a run on this machine's disk. */
interface LocalFile {
  readonly run: string
  readonly path: string
  readonly place: string
}

/**
 * Packs a file or a directory, and puts it where files are kept: it is kept when its row is noted.
 *
 * @returns why it is not kept; `undefined` when it is not there
 */
async function putFile({ artifacts, maxBytes }: FilePlaces, file: LocalFile): Promise<FileRow | string | undefined> {
  const { run, path, place } = file
  const directory = temporaryDirectory()
  try {
    const packedFile = join(directory, 'packed')
    const packed = await pack(place, packedFile, maxBytes)
    if (packed === undefined) return undefined
    if (typeof packed === 'number') return `${path} has more than ${maxBytes} bytes when it is packed`
    const ref = await artifacts.put({ run, path }, createReadStream(packedFile))
    return { ...packed, run, path, ref }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/**
 * Keeps a file or a directory.
 *
 * @returns why it is not kept; `undefined` when it is, or is not there
 */
export async function keepFile(places: FilePlaces, file: LocalFile): Promise<string | undefined> {
  const put = await putFile(places, file)
  if (typeof put !== 'object') return put
  const replaced = await places.table.put(put)
  if (replaced.length > 0) await places.artifacts.remove(file.run, replaced)
  return undefined
}

/**
 * Brings a kept file or directory to a place on this machine's disk.
 *
 * @throws `store-failed` when it is damaged or gone
 */
export async function fetchFile({ artifacts }: FilePlaces, row: FileRow, place: string): Promise<void> {
  try {
    await unpack(await artifacts.get(row.ref), place, row)
  } catch (thrown) {
    if (JuristError.is(thrown)) throw thrown
    const problem = `${row.path} of run ${row.run} cannot be unpacked: ${failureOf(thrown).message}.`
    throw new JuristError('store-failed', `${problem} Judge without it: --workspaces none`, { path: row.path })
  }
}

/** The directory of a run on this machine's disk. */
interface RunDirectory {
  readonly run: string
  readonly directory: string
}

/**
 * Keeps the workspace and the journal of a trial, and takes them from the disk. Files that are too large are left out; the
 * trial has the reasons in `artifactsDropped`. Paths of the item's own files become absolute, since the directory of the
 * run is temporary.
 */
export async function keepTrialFiles(places: FilePlaces, item: ItemResult, at: RunDirectory): Promise<ItemResult> {
  return await withFiles(item, at, async (file) => {
    const problem = await keepFile(places, file)
    await rm(file.place, { recursive: true, force: true })
    return problem
  })
}

/**
 * Puts the workspace and the journal of a trial where files are kept, and leaves them on the disk, as `keepTrialFiles` does
 * otherwise. They are kept when their rows are noted.
 */
export async function putTrialFiles(
  places: FilePlaces,
  item: ItemResult,
  at: RunDirectory,
): Promise<{ readonly item: ItemResult; readonly files: readonly FileRow[] }> {
  const files: FileRow[] = []
  const kept = await withFiles(item, at, async (file) => {
    const put = await putFile(places, file)
    if (typeof put !== 'object') return put
    files.push(put)
    return undefined
  })
  return { item: kept, files }
}

/** The trial with the paths of its files; `keep` returns why a file is not kept. */
async function withFiles(
  item: ItemResult,
  { run, directory }: RunDirectory,
  keep: (file: LocalFile) => Promise<string | undefined>,
): Promise<ItemResult> {
  const dropped: string[] = []
  async function kept(path: string | null): Promise<string | null> {
    // The files of a trial that was judged again are those of its first run.
    if (path === null || path.startsWith('..')) return path
    const problem = await keep({ run, path, place: join(directory, path) })
    if (problem === undefined) return path
    dropped.push(problem)
    return null
  }
  const absolute = (path: string | null) => (path === null ? null : resolve(directory, '../..', path))
  const [workspacePath, journalPath] = [await kept(item.workspacePath), await kept(item.journalPath)]
  return {
    ...item,
    ...{ workspacePath, journalPath },
    beforePath: absolute(item.beforePath),
    referencePath: absolute(item.referencePath),
    metadata: {
      ...item.metadata,
      ...(workspacePath === item.workspacePath ? {} : { workspaceKept: false }),
      ...(dropped.length === 0 ? {} : { artifactsDropped: dropped }),
    },
  }
}

/** A kept file or directory of a run. */
export interface FileRow extends Packed, ArtifactKey {
  readonly ref: ArtifactRef
}

/** Which files of runs are kept, and where. */
interface FileRows {
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
