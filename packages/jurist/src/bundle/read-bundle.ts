import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { createGunzip } from 'node:zlib'
import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import { type BundledFile, type BundleManifest, manifestFromJson, manifestName, refuseBundle } from './manifest.js'

/** Takes the content of one file. */
export type Receive = (file: BundledFile, chunks: AsyncIterable<Uint8Array>) => Promise<void>

const maxManifestBytes = 256 * 1024 * 1024
/** What the form of an archive may take for each file, beside its content: headers, long names, padding. */
const overheadBytes = 8 * 1024

/**
 * Reads a bundle whole: every file must be in the manifest, with its size and its sum, and none may be missing. What is
 * decompressed is never more than the manifest admits.
 *
 * @param receive given each file as it comes; its sum is known to be right only when this resolves
 * @throws `usage-invalid` saying what is wrong
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
      if (file === undefined) refuseBundle(path, `${JSON.stringify(name)} is not in its manifest, or comes twice`)
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
  const chunks: AsyncIterable<Buffer> = pipeline(createReadStream(path), createGunzip(), () => undefined)
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > budget.bytes) refuseBundle(path, 'it unpacks to more than its manifest says')
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
  if (type !== 'file') refuseBundle(path, `${shown} is no file but a ${type}`)
  if (size !== file.size) refuseBundle(path, `${shown} has ${size} bytes, not ${file.size}`)
  const hash = createHash('sha256')
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of entry.body) {
      hash.update(chunk)
      yield chunk
    }
  }
  await receive(file, hashed())
  if (hash.digest('hex') !== file.sha256) refuseBundle(path, `${shown} has another SHA-256 than its manifest says`)
}

async function drain(_file: BundledFile, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of chunks) {
    // Reading it is what makes its sum known.
  }
}
