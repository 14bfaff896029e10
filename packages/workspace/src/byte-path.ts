import { isUtf8 } from 'node:buffer'
import { escaped } from './quotation.js'

/**
 * File names are bytes, and not every name is UTF-8. In the path of a tree, a byte that is not UTF-8 becomes half of a
 * surrogate pair (U+DC80 to U+DCFF), which no valid name contains. So paths are split, joined and compared like any
 * other string.
 */

const sequence = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]/g
export const halves: RegExp = /([\udc80-\udcff])/gu

/** Restores the bytes of the name that the system knows. */
export function pathOf(bytes: Uint8Array): string {
  const name = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (isUtf8(name)) return name.toString()
  return name.toString('latin1').replace(sequence, (found) => {
    const character = Buffer.from(found, 'latin1')
    if (isUtf8(character)) return character.toString()
    return String.fromCharCode(...Array.from(character, (byte) => 0xdc00 + byte))
  })
}

/** Writes bytes that are not UTF-8 as `\x` and two digits. The result does not name a file. */
export function namedPath(path: string): string {
  return path.replace(halves, (half) => `\\x${(half.charCodeAt(0) - 0xdc00).toString(16)}`)
}

/** Formats a path for a reader: control characters are escaped as well, since a terminal would obey them. */
export function shownPath(path: string): string {
  return escaped(namedPath(path))
}
