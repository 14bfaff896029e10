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

const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu

const reference = /&#(?:x([\da-fA-F]{1,20})|(\d{1,20}));/g

/** The end of a piece within a reference or a character. */
const begun = /(?:&#?[\da-fA-Fx]{0,21}|[\ud800-\udbff])$/

/**
 * Replaces the characters that XML 1.0 forbids, raw or as references, by U+FFFD. Reporters copy the output of tests,
 * such as colors, and a report with such a character is still read.
 */
export function withoutForbidden(text: string): string {
  return text.replace(forbidden, '\ufffd').replace(reference, (whole, hex?: string, digits?: string) => {
    const code = hex === undefined ? Number(digits) : Number.parseInt(hex, 16)
    return code <= 0x10_ff_ff && !isCharacter(code) ? '\ufffd' : whole
  })
}

function isCharacter(code: number): boolean {
  return (
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 0x20 && code < 0xd8_00) ||
    (code >= 0xe0_00 && code !== 0xff_fe && code !== 0xff_ff)
  )
}

/**
 * Does the same for a document in pieces: the end of a piece is held back if it may continue in the next one. Without a
 * piece, it returns the rest.
 */
export function piecesWithoutForbidden(): (piece?: string) => string {
  let held = ''
  return (piece) => {
    const text = held + (piece ?? '')
    held = piece === undefined ? '' : (begun.exec(text)?.[0] ?? '')
    return withoutForbidden(held === '' ? text : text.slice(0, -held.length))
  }
}
