import { TextDecoder } from 'node:util'
import { quoted } from './quotation.js'

const declaration = /^\s*<\?xml\s[^>]{0,200}?\bencoding\s*=\s*["']([A-Za-z][\w.:-]{0,40})["']/
/** The maximum size of the part that contains a declaration. */
const headBytes = 512

/**
 * Returns the decoder for bytes that begin like this: by their byte order mark or XML declaration, otherwise UTF-8. It
 * throws for bytes that are invalid in the encoding.
 *
 * @throws `Error` for an unknown encoding
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
  // In UTF-16, these bytes would not form a declaration: the document was encoded again after it was declared.
  return declared === undefined || /^utf-?16/i.test(declared) ? 'utf-8' : declared
}

/**
 * Decodes bytes in the encoding that they declare, without a byte order mark.
 *
 * @throws `Error` for an unknown encoding, or for bytes that are invalid in it
 */
export function decoded(bytes: Uint8Array): string {
  const decoder = decoderOf(bytes)
  try {
    return decoder.decode(bytes)
  } catch {
    throw new Error(notEncoded(decoder))
  }
}

export function notEncoded({ encoding }: TextDecoder): string {
  return `it is not ${encoding.toUpperCase()} text`
}
