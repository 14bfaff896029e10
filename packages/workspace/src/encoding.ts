import { TextDecoder } from 'node:util'
import { quoted } from './quotation.js'

const declaration = /^\s*<\?xml\s[^>]{0,200}?\bencoding\s*=\s*["']([A-Za-z][\w.:-]{0,40})["']/
/** How much of a text its declaration may take. */
const headBytes = 512

/**
 * The decoder of a text that begins with these bytes: what its byte order mark says, or its XML declaration; else UTF-8. It
 * throws for bytes that the encoding does not have.
 *
 * @throws `Error` for an encoding that is not known
 */
export function decoderOf(bytes: Uint8Array): TextDecoder {
  const declared = encodingOf(bytes)
  try {
    return new TextDecoder(declared, { fatal: true })
  } catch {
    throw new Error(`its encoding ${quoted(declared)} is not known`)
  }
}

function encodingOf(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString('latin1')
  if (/^(?:\xff\xfe|<\0\?\0)/.test(head)) return 'utf-16le'
  if (/^(?:\xfe\xff|\0<\0\?)/.test(head)) return 'utf-16be'
  const declared = head.startsWith('\xef\xbb\xbf') ? undefined : declaration.exec(head)?.[1]
  // Bytes of UTF-16 would not read as a declaration: its writer has encoded again what was declared before.
  return declared === undefined || /^utf-?16/i.test(declared) ? 'utf-8' : declared
}

/**
 * The text of bytes in the encoding that they declare, without a byte order mark.
 *
 * @throws `Error` for an encoding that is not known, or bytes that it does not have
 */
export function decoded(bytes: Uint8Array): string {
  const decoder = decoderOf(bytes)
  try {
    return decoder.decode(bytes)
  } catch {
    throw new Error(notEncoded(decoder))
  }
}

/** What is wrong with bytes that the encoding does not have. */
export function notEncoded({ encoding }: TextDecoder): string {
  return `it is not ${encoding.toUpperCase()} text`
}
