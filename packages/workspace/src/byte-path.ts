import { isUtf8 } from 'node:buffer'
import { escaped } from './quotation.js'

/*
 * Names of files are bytes, and not every name is UTF-8. A byte path is a string with one character for each byte of a
 * path, so that it is split and joined as any other.
 */

/** The byte path of a text. */
export function bytePath(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** What the system is given for a byte path. */
export function bytesOf(path: string): Buffer {
  return Buffer.from(path, 'latin1')
}

const sequence = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]/g

/**
 * A byte path as a reader sees it: what is not UTF-8 as `\x` and two digits, what a terminal would obey escaped too.
 *
 * @example
 * shownPath('bad-\xff') // 'bad-\\xff'
 */
export function shownPath(path: string): string {
  const text = path.replace(sequence, (found) => {
    const bytes = bytesOf(found)
    return isUtf8(bytes) ? bytes.toString() : bytes.toString('hex').replace(/../g, '\\x$&')
  })
  return escaped(text)
}
