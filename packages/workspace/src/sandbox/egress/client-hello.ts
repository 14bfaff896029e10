/** The part of a TLS client's request that is in clear text. */
export interface ClientHello {
  /** The server name; `undefined` without one. */
  readonly serverName: string | undefined
  /** Whether the real server name may be encrypted. */
  readonly isHidden: boolean
  /** The number of bytes up to the end of its last record. */
  readonly length: number
}

const [handshake, clientHello, serverHello] = [22, 1, 2]
/** The longest ClientHello, in bytes. */
export const longestHello = 16_384
/** The random of a ServerHello that asks for a second ClientHello (RFC 8446, 4.1.3). */
const retryRandom = Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex')

/** Joins the handshake messages of the leading records; `undefined` if something else comes first. */
function handshakeBytes(bytes: Buffer): { readonly joined: Buffer; readonly ends: readonly number[] } | undefined {
  const parts: Buffer[] = []
  const ends: number[] = []
  let at = 0
  while (at < bytes.length && parts.reduce((sum, part) => sum + part.length, 0) < longestHello) {
    if (bytes[at] !== handshake) return at === 0 ? undefined : { joined: Buffer.concat(parts), ends }
    if (at + 5 > bytes.length) break
    const length = bytes.readUInt16BE(at + 3)
    if (bytes[at + 1] !== 3 || length === 0 || length > longestHello) return undefined
    parts.push(bytes.subarray(at + 5, at + 5 + length))
    at += 5 + length
    ends.push(at)
  }
  return { joined: Buffer.concat(parts), ends }
}

/** Reads the ClientHello at the start; `'more'` while it is incomplete; `undefined` if it is not one. */
export function readClientHello(bytes: Buffer): ClientHello | 'more' | undefined {
  const read = handshakeBytes(bytes)
  if (read === undefined) return undefined
  const { joined, ends } = read
  if (joined.length < 4) return bytes.length > longestHello ? undefined : 'more'
  const length = joined.readUIntBE(1, 3)
  if (joined[0] !== clientHello || length + 4 > longestHello) return undefined
  if (joined.length < length + 4) return bytes.length > longestHello ? undefined : 'more'
  // Another message in the same records would not be read.
  const end = ends.at(-1) ?? 0
  if (joined.length > length + 4 || end > bytes.length) return undefined
  try {
    return { ...readExtensions(joined.subarray(4)), length: end }
  } catch {
    return undefined
  }
}

/** @throws for a length that leads outside */
function readExtensions(body: Buffer): Omit<ClientHello, 'length'> {
  let at = 34
  const take = (lengthBytes: number): Buffer => {
    const length = body.readUIntBE(at, lengthBytes)
    const part = body.subarray(at + lengthBytes, at + lengthBytes + length)
    if (part.length < length) throw new RangeError('It is too short.')
    at += lengthBytes + length
    return part
  }
  take(1)
  take(2)
  take(1)
  if (at === body.length) return { serverName: undefined, isHidden: false }
  const extensions = take(2)
  if (at !== body.length) throw new RangeError('It is too long.')
  const seen = new Map<number, Buffer>()
  for (let place = 0; place < extensions.length; ) {
    const type = extensions.readUInt16BE(place)
    const length = extensions.readUInt16BE(place + 2)
    const value = extensions.subarray(place + 4, place + 4 + length)
    if (value.length < length || seen.has(type)) throw new RangeError('An extension is cut, or is there twice.')
    seen.set(type, value)
    place += 4 + length
  }
  return { serverName: serverNameOf(seen.get(0)), isHidden: seen.has(0xfe0d) }
}

/** @throws for more than one name */
function serverNameOf(value: Buffer | undefined): string | undefined {
  if (value === undefined) return undefined
  const length = value.readUInt16BE(3)
  if (value[2] !== 0 || value.readUInt16BE(0) !== value.length - 2 || length !== value.length - 5)
    throw new RangeError('It is not one host name.')
  return value.subarray(5).toString('latin1').toLowerCase()
}

/** Whether a server asks for another ClientHello; `'more'` while it is not known. */
export function asksAgain(bytes: Buffer): boolean | 'more' {
  const read = handshakeBytes(bytes)
  if (read === undefined) return false
  const { joined } = read
  if (joined.length > 0 && joined[0] !== serverHello) return false
  return joined.length < 38 ? 'more' : joined.subarray(6, 38).equals(retryRandom)
}

/** The bytes before the second ClientHello: records with nothing for the server to decide on. */
export function beforeSecondHello(bytes: Buffer): number {
  let at = 0
  while (at + 5 <= bytes.length && (bytes[at] === 20 || bytes[at] === 23)) at += 5 + bytes.readUInt16BE(at + 3)
  return at
}
