import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline as piped } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ReadableStream } from 'node:stream/web'
import { createGunzip } from 'node:zlib'
import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import {
  type BundledFile,
  type BundledRun,
  type BundleManifest,
  directoryOf,
  manifestFromJson,
  manifestName,
  refuseBundle,
} from './manifest.js'

/** A bundle that can be read like a results directory. */
export interface OpenBundle {
  readonly directory: string
  readonly runs: readonly BundledRun[]
}

const opened = new Map<string, Promise<OpenBundle>>()

/** Extracts a bundle into a temporary directory, once per process. The directory is deleted when the process exits. */
export function openBundle(path: string): Promise<OpenBundle> {
  const open = opened.get(path) ?? extracted(path)
  opened.set(path, open)
  return open
}

async function extracted(path: string): Promise<OpenBundle> {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-bundle-'))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  const { runs } = await extractBundle(path, directory)
  return { directory, runs }
}

/** Returns the only run of a bundle, or refuses the bundle. */
export function onlyRun(path: string, { runs }: OpenBundle): BundledRun {
  const [run, ...others] = runs
  if (run === undefined || others.length > 0)
    return refuseBundle(
      path,
      `it holds ${runs.length} runs; extract it and name one: ${commandLine('store', 'bundle', '--extract', 'FILE')}`,
    )
  return run
}

/** Receives the content of one file. */
export type Receive = (file: BundledFile, chunks: AsyncIterable<Uint8Array>) => Promise<void>

const maxManifestBytes = 256 * 1024 * 1024
/** The maximum overhead of an archive for each file: headers, long names, padding. */
const overheadBytes = 8 * 1024

/**
 * Reads a whole bundle. Every file must be in the manifest with its size and checksum, and none may be missing. Never
 * decompresses more than the manifest allows.
 *
 * @param receive receives each file in order. Its checksum is verified only when the returned promise resolves
 * @throws `usage-invalid` with the reason
 */
export async function readBundle(path: string, receive: Receive = drain): Promise<BundleManifest> {
  const budget = { bytes: maxManifestBytes }
  let manifest: BundleManifest | undefined
  const missing = new Map<string, BundledFile>()
  try {
    for await (const entry of entriesOf(path, budget)) {
      if (manifest === undefined) {
        manifest = await readManifest(path, entry)
        for (const file of manifest.files) missing.set(file.path, file)
        budget.bytes = manifest.files.reduce((sum, { size }) => sum + size + overheadBytes, maxManifestBytes)
        continue
      }
      const { name } = entry.header
      const file = missing.get(name)
      if (file === undefined)
        refuseBundle(path, `${JSON.stringify(name)} is not in its manifest, or is in the archive twice`)
      missing.delete(name)
      await receiveFile(path, file, entry, receive)
    }
  } catch (thrown) {
    if (thrown instanceof JuristError) throw thrown
    refuseBundle(path, `it cannot be read: ${failureOf(thrown).message}`)
  }
  if (manifest === undefined) return refuseBundle(path, 'it is empty')
  const [first] = missing.keys()
  if (first !== undefined)
    refuseBundle(path, `${missing.size} of its files are missing, such as ${JSON.stringify(first)}`)
  return manifest
}

function entriesOf(path: string, budget: { bytes: number }): AsyncIterable<ParsedTarEntry> {
  return ReadableStream.from(decompressed(path, budget)).pipeThrough(createTarDecoder({ strict: true }))
}

async function* decompressed(path: string, budget: { readonly bytes: number }): AsyncGenerator<Uint8Array> {
  let bytes = 0
  const chunks: AsyncIterable<Buffer> = piped(createReadStream(path), createGunzip(), () => undefined)
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > budget.bytes) refuseBundle(path, 'it unpacks to more than its manifest allows')
    yield chunk
  }
}

async function readManifest(path: string, { header, body }: ParsedTarEntry): Promise<BundleManifest> {
  if (header.name !== manifestName || header.type !== 'file')
    refuseBundle(path, `it does not begin with ${manifestName}`)
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return manifestFromJson(Buffer.concat(chunks).toString('utf8'), path)
}

async function receiveFile(path: string, file: BundledFile, entry: ParsedTarEntry, receive: Receive): Promise<void> {
  const { type, size } = entry.header
  const shown = JSON.stringify(file.path)
  if (type !== 'file') refuseBundle(path, `${shown} is a ${type}, not a file`)
  if (size !== file.size) refuseBundle(path, `${shown} has ${size} bytes, not ${file.size}`)
  const hash = createHash('sha256')
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of entry.body) {
      hash.update(chunk)
      yield chunk
    }
  }
  await receive(file, hashed())
  if (hash.digest('hex') !== file.sha256) refuseBundle(path, `${shown} has a different SHA-256 than its manifest`)
}

async function drain(_file: BundledFile, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of chunks) {
    // Reading the content computes its checksum.
  }
}

/**
 * Extracts the runs of a bundle into a results directory. Verifies every checksum before the first byte is written, and
 * renames each run into its place when it is complete.
 *
 * @throws `usage-invalid` if the bundle does not match its manifest, or a run exists already
 */
export async function extractBundle(path: string, results: string): Promise<BundleManifest> {
  const manifest = await readBundle(path)
  for (const run of manifest.runs) await refuseExisting(join(results, directoryOf(run)), run.id)
  await mkdir(results, { recursive: true })
  const unfinished = await mkdtemp(join(results, '.bundle-'))
  try {
    await readBundle(path, async (file, chunks) => {
      const target = join(unfinished, file.path)
      await mkdir(dirname(target), { recursive: true })
      await pipeline(chunks, createWriteStream(target, { flags: 'wx' }))
    })
    for (const run of manifest.runs) {
      const place = join(results, directoryOf(run))
      await mkdir(dirname(place), { recursive: true })
      await refuseExisting(place, run.id)
      await rename(join(unfinished, directoryOf(run)), place)
    }
    return manifest
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

async function refuseExisting(place: string, id: string): Promise<void> {
  const found = await lstat(place).catch(() => undefined)
  if (found !== undefined)
    throw usageInvalid('--extract', `Run ${id} is at ${place} already. Extract into another directory: --to <dir>.`)
}
