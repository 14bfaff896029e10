import { crc32, deflateRawSync } from 'node:zlib'

/** What a test may get wrong on purpose in a file of an archive. */
export interface ZipEntry {
  readonly name: string
  readonly text: string
  readonly method?: number
  readonly flags?: number
  /** Packed by the caller. */
  readonly packed?: Buffer
  /** What the directory says. */
  readonly bytes?: number
  readonly crc?: number
}

/** A zip archive of files. */
export function zipArchive(entries: readonly ZipEntry[]): Buffer {
  const [parts, directory]: [Buffer[], Buffer[]] = [[], []]
  let offset = 0
  for (const { name, text, method = 8, flags = 0, bytes, crc, packed: given } of entries) {
    const plain = Buffer.from(text)
    const packed = given ?? (method === 8 ? deflateRawSync(plain) : plain)
    const facts = Buffer.alloc(22)
    ;[flags, method].forEach((value, at) => void facts.writeUInt16LE(value, 2 + at * 2))
    facts.writeUInt32LE(crc ?? crc32(plain), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(bytes ?? plain.length, 18)
    const named = Buffer.from(name)
    const local = Buffer.concat([signature(0x04034b50), facts, number(named.length, 2), number(0, 2), named])
    directory.push(signature(0x02014b50), number(20, 2), facts, number(named.length, 2), number(0, 2))
    directory.push(number(0, 2), number(0, 2), number(0, 2), number(0, 4), number(offset, 4), named)
    parts.push(local, packed)
    offset += local.length + packed.length
  }
  const listed = Buffer.concat(directory)
  const counts = [number(0, 4), number(entries.length, 2), number(entries.length, 2)]
  const end = [signature(0x06054b50), ...counts, number(listed.length, 4), number(offset, 4), number(0, 2)]
  return Buffer.concat([...parts, listed, ...end])
}

function signature(value: number): Buffer {
  return number(value, 4)
}

function number(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntLE(value, 0, bytes)
  return buffer
}
