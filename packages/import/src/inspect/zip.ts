import { type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'

export interface ZipFile extends AsyncDisposable {
  /** The names of the files, in the order of the archive. */
  readonly names: readonly string[]
  /**
   * Returns the bytes of a file.
   *
   * @throws `Error` with the problem if the file is damaged
   */
  readonly read: (name: string) => Promise<Buffer>
}

const maxEntries = 200_000
const maxDirectoryBytes = 128 * 1024 * 1024
const maxFileBytes = 256 * 1024 * 1024
const maxTotalBytes = 16 * 1024 ** 3
/** The longest end record: 22 bytes and a comment. */
const maxEndBytes = 22 + 0xffff

const signatures = { end: 0x06054b50, entry: 0x02014b50, local: 0x04034b50 }
const encrypted = 0x1

/**
 * Opens a zip archive (APPNOTE 6.3.10 of PKWARE) for reading. Nothing is unpacked to disk.
 *
 * @throws `Error` if the file is not an archive, contains a name twice, or exceeds the limits
 */
export async function openZip(path: string): Promise<ZipFile> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const entries = await entriesOf(file, size)
    return {
      names: [...entries.keys()],
      async read(name) {
        const entry = entries.get(name)
        if (entry === undefined) throw new Error(`it has no ${name}`)
        return unpacked(entry, await packed(file, entry, size))
      },
      [Symbol.asyncDispose]: () => file.close(),
    }
  } catch (thrown) {
    await file.close()
    throw thrown
  }
}

async function bytesAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
  if (bytesRead < length) throw new Error('it ends too early')
  return buffer
}

async function entriesOf(file: FileHandle, size: number): Promise<ReadonlyMap<string, Entry>> {
  const tail = await bytesAt(file, Math.max(0, size - maxEndBytes), Math.min(size, maxEndBytes))
  const end = endRecord(tail)
  if (end === undefined) throw new Error('it is not a zip archive, or it is truncated')
  const { count, bytes, offset } = end
  if (count === 0xffff || offset === 0xffffffff) throw new Error('it is larger than 4 GB, and those are not read')
  if (count > maxEntries) throw new Error(`it has ${count} files, and at most ${maxEntries} are read`)
  if (bytes > maxDirectoryBytes || offset + bytes > size) throw new Error('its directory is damaged')
  return directoryOf(await bytesAt(file, offset, bytes), count)
}

/** Reads the record at the end of an archive, which a comment may follow. */
function endRecord(tail: Buffer) {
  for (let at = tail.length - 22; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== signatures.end || at + 22 + tail.readUInt16LE(at + 20) !== tail.length) continue
    return { count: tail.readUInt16LE(at + 10), bytes: tail.readUInt32LE(at + 12), offset: tail.readUInt32LE(at + 16) }
  }
  return undefined
}

function directoryOf(directory: Buffer, count: number): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>()
  let [at, total] = [0, 0]
  while (entries.size < count) {
    const entry = entryAt(directory, at)
    checkEntry(entry, entries)
    entries.set(entry.name, entry)
    at = entry.next
    total += entry.bytes
  }
  if (total > maxTotalBytes) throw new Error(`its files have ${total} bytes, and at most ${maxTotalBytes} are read`)
  return entries
}

type Entry = ReturnType<typeof entryAt>

/** Reads the description of a file in the directory of an archive, and the position of the next one. */
function entryAt(directory: Buffer, at: number) {
  if (at + 46 > directory.length || directory.readUInt32LE(at) !== signatures.entry)
    throw new Error('its directory is damaged')
  const end = at + 46 + directory.readUInt16LE(at + 28)
  return {
    name: directory.toString('utf8', at + 46, end),
    flags: directory.readUInt16LE(at + 8),
    method: directory.readUInt16LE(at + 10),
    crc: directory.readUInt32LE(at + 16),
    packedBytes: directory.readUInt32LE(at + 20),
    bytes: directory.readUInt32LE(at + 24),
    offset: directory.readUInt32LE(at + 42),
    next: end + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32),
  }
}

function checkEntry({ name, flags, bytes, packedBytes }: Entry, known: ReadonlyMap<string, Entry>): void {
  const shown = JSON.stringify(name)
  if (known.has(name)) throw new Error(`it holds ${shown} twice`)
  if (name.startsWith('/') || name.includes('\\') || name.includes('\0') || name.split('/').includes('..'))
    throw new Error(`${shown} is not a valid name within an archive`)
  if ((flags & encrypted) !== 0) throw new Error(`${shown} is encrypted`)
  if (bytes > maxFileBytes || packedBytes > maxFileBytes)
    throw new Error(`${shown} has ${Math.max(bytes, packedBytes)} bytes, and at most ${maxFileBytes} are read`)
}

/** Returns the packed bytes of an entry, which follow a second header. */
async function packed(file: FileHandle, { name, offset, packedBytes }: Entry, size: number): Promise<Buffer> {
  const header = await bytesAt(file, offset, 30)
  if (header.readUInt32LE(0) !== signatures.local) throw new Error(`${name} is damaged`)
  const start = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  if (start + packedBytes > size) throw new Error(`${name} is damaged`)
  return bytesAt(file, start, packedBytes)
}

type Unpack = (packed: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>

const inflate = promisify(zlib.inflateRaw) as Unpack

/** Available from Node 22.15. */
const zstd = (zlib as { readonly zstdDecompress?: unknown }).zstdDecompress as
  | ((...given: readonly unknown[]) => void)
  | undefined

const zstdMethod = 93

async function unpacked(entry: Entry, bytes: Buffer): Promise<Buffer> {
  const whole = await unpackedBy(entry, bytes).catch(
    (thrown: { readonly code?: unknown; readonly message?: string }) => {
      // Errors of zlib have a code; those of this file do not.
      throw thrown.code === undefined ? thrown : new Error(`${entry.name} is damaged`)
    },
  )
  if (whole.length !== entry.bytes || zlib.crc32(whole) !== entry.crc) throw new Error(`${entry.name} is damaged`)
  return whole
}

async function unpackedBy({ name, method, bytes }: Entry, given: Buffer): Promise<Buffer> {
  // The limit stops an entry that unpacks to more than its declared size.
  const limit = { maxOutputLength: Math.max(1, bytes) }
  if (method === 0) return given
  if (method === 8) return inflate(given, limit)
  if (method !== zstdMethod) throw new Error(`${name} is packed by method ${method}, which is not read`)
  if (zstd === undefined)
    throw new Error(
      `it is packed by Zstandard, which Node ${process.versions.node} cannot read. Use Node 22.15 or newer, or convert it: inspect log convert --to json --output-dir DIR LOG`,
    )
  return (promisify(zstd) as Unpack)(given, limit)
}
