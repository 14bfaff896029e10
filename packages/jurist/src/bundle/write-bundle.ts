import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { RunResult } from '@jurist/experiment/result'
import { packTar, type TarSource } from 'modern-tar/fs'
import { type BundledFile, type BundleManifest, directoryOf, manifestName } from './manifest.js'

/** Metadata of every file, constant so that equal runs make equal bundles. */
const plain = { mtime: new Date(0), mode: 0o644, uid: 0, gid: 0, uname: '', gname: '' } as const

/** Writes a bundle: the manifest, then the files in its order. The file appears when it is complete. */
export async function writeBundle(
  path: string,
  manifest: Omit<BundleManifest, 'files' | 'schemaVersion'>,
  files: readonly SourceFile[],
): Promise<void> {
  const listed: BundleManifest = {
    schemaVersion: 1,
    ...manifest,
    files: files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
  }
  const sources: readonly TarSource[] = [
    { type: 'content', content: `${JSON.stringify(listed, null, 2)}\n`, target: manifestName, ...plain },
    ...files.map((file): TarSource => ({ type: 'file', source: file.source, target: file.path, ...plain })),
  ]
  const unfinished = `${path}.${process.pid}.tmp`
  try {
    await pipeline(packTar(sources), createGzip({ level: 6 }), createWriteStream(unfinished))
    await rename(unfinished, path)
  } finally {
    await rm(unfinished, { force: true })
  }
}

/** What a bundle contains besides the record and the trials of a run. */
export interface Parts {
  readonly journals: boolean
  readonly workspaces: boolean
}

/** A file on the disk, and its path in the bundle. */
export interface SourceFile extends BundledFile {
  readonly source: string
}

/** The files of runs, sorted by path, and how many links and special files were left out. */
export async function collect(
  results: string,
  runs: readonly RunResult[],
  { journals, workspaces }: Parts,
): Promise<{ readonly files: readonly SourceFile[]; readonly leftOut: number }> {
  const files: SourceFile[] = []
  let leftOut = 0
  const add = async (path: string): Promise<void> => {
    const source = join(results, path)
    const found = await lstat(source).catch(() => undefined)
    if (found === undefined) return
    if (found.isDirectory()) for (const name of await readdir(source)) await add(`${path}/${name}`)
    else if (found.isFile()) files.push({ path, source, ...(await contents(source)) })
    else leftOut += 1
  }
  for (const run of runs) {
    const home = directoryOf(run)
    const parts = ['run.json', 'items.jsonl', ...(journals ? ['journal'] : []), ...(workspaces ? ['workspaces'] : [])]
    for (const part of parts) await add(`${home}/${part}`)
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { files, leftOut }
}

async function contents(source: string): Promise<Pick<BundledFile, 'size' | 'sha256'>> {
  const hash = createHash('sha256')
  let size = 0
  await pipeline(createReadStream(source), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      size += chunk.length
      hash.update(chunk)
    }
  })
  return { size, sha256: hash.digest('hex') }
}
