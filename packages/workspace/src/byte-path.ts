import { isUtf8 } from 'node:buffer'
import { escaped } from './quotation.js'

/*
 * Names of files are bytes, and not every name is UTF-8. In the path of a tree a byte that is not UTF-8 is half of a
 * surrogate pair (U+DC80 to U+DCFF), which no valid name has. So paths are split, joined and compared like any other string.
 */

const sequence = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]/g
export const halves: RegExp = /([\udc80-\udcff])/gu

/** The path that the system means. */
export function pathOf(bytes: Uint8Array): string {
  const name = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (isUtf8(name)) return name.toString()
  return name.toString('latin1').replace(sequence, (found) => {
    const character = Buffer.from(found, 'latin1')
    if (isUtf8(character)) return character.toString()
    return String.fromCharCode(...Array.from(character, (byte) => 0xdc00 + byte))
  })
}

/** A path in which a byte that is not UTF-8 is written as `\x` and two digits: nothing can be found by it. */
export function namedPath(path: string): string {
  return path.replace(halves, (half) => `\\x${(half.charCodeAt(0) - 0xdc00).toString(16)}`)
}

/**
 * A path as a reader sees it: what a terminal would obey is escaped too.
 *
 * @example
 * shownPath(pathOf(Buffer.from('bad-\xff', 'latin1'))) // 'bad-\\xff'
 */
export function shownPath(path: string): string {
  return escaped(namedPath(path))
}
