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
