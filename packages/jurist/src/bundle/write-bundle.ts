import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { packTar, type TarSource } from 'modern-tar/fs'
import type { SourceFile } from './collect.js'
import { type BundleManifest, manifestName } from './manifest.js'

/** The same for every file, so that equal runs make equal bytes. */
const plain = { mtime: new Date(0), mode: 0o644, uid: 0, gid: 0, uname: '', gname: '' } as const

/** Writes a bundle: the manifest, then the files in its order. The file appears when it is whole. */
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
