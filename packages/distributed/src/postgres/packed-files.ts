import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, posix } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { packTar, unpackTar } from 'modern-tar/fs'

/** How a file or a directory is packed. */
export type Packing = 'file' | 'tree'

/** A packed file or directory on the disk. */
export interface Packed {
  readonly packing: Packing
  readonly bytes: number
  readonly sha256: string
}

/** How much longer than packed an unpacked file or directory may be. */
const largestRatio = 64

/**
 * Packs a file, or the files, directories and links of a directory, into a new file.
 *
 * @returns `undefined` when there is nothing at `from`; the bytes that it would take at least when it is too large
 */
export async function pack(from: string, to: string, maxBytes: number): Promise<Packed | number | undefined> {
  const found = await lstat(from).catch(() => undefined)
  if (found === undefined || !(found.isFile() || found.isDirectory())) return undefined
  const packing: Packing = found.isFile() ? 'file' : 'tree'
  const source =
    packing === 'file'
      ? createReadStream(from)
      : packTar(from, { filter: (_, entry) => entry.isFile() || entry.isDirectory() || entry.isSymbolicLink() })
  const hash = createHash('sha256')
  const counted = limited(maxBytes, (bytes) => hash.update(bytes))
  try {
    await pipeline(source, limited(maxBytes * largestRatio), createGzip(), counted, createWriteStream(to))
    return { packing, bytes: (await stat(to)).size, sha256: hash.digest('hex') }
  } catch (thrown) {
    if (thrown instanceof TooLarge) return thrown.bytes
    throw thrown
  }
}

/**
 * Unpacks what `pack` has made; it appears when it is whole. Links that lead out of a directory are left out.
 *
 * @throws Error when the bytes are not those that were packed
 */
export async function unpack(from: AsyncIterable<Uint8Array>, to: string, packed: Packed): Promise<void> {
  // Two who bring the same files at the same time do not meet.
  const unfinished = `${to}.${randomUUID()}.new`
  await mkdir(dirname(to), { recursive: true })
  const hash = createHash('sha256')
  const target =
    packed.packing === 'file'
      ? createWriteStream(unfinished)
      : unpackTar(unfinished, { filter: ({ name, type, linkname }) => isContained(name, type, linkname) })
  const checked = limited(packed.bytes, (bytes) => hash.update(bytes))
  try {
    await pipeline(from, checked, createGunzip(), limited(Math.max(packed.bytes, 1024) * largestRatio * 16), target)
    if (hash.digest('hex') !== packed.sha256) throw new Error('it is damaged: its checksum is another one')
    await rename(unfinished, to).catch(async (thrown: unknown) => {
      if ((await lstat(to).catch(() => undefined)) === undefined) throw thrown
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

function isContained(name: string, type: string | undefined, linkname: string | undefined): boolean {
  if (type !== 'symlink' && type !== 'link') return true
  if (linkname === undefined || posix.isAbsolute(linkname)) return false
  const place = type === 'link' ? linkname : posix.join(posix.dirname(name), linkname)
  return !posix.normalize(place).startsWith('..')
}

class TooLarge extends Error {
  readonly bytes: number
  constructor(bytes: number) {
    super(`it has more than ${bytes} bytes`)
    this.bytes = bytes
  }
}

/** Passes on a limited number of bytes. */
function limited(maxBytes: number, seen: (bytes: Uint8Array) => void = () => undefined): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Uint8Array, _, done) {
      bytes += chunk.length
      if (bytes > maxBytes) return done(new TooLarge(bytes))
      seen(chunk)
      done(null, chunk)
    },
  })
}
