/**
 * The text of a file as comparators get it: strict UTF-8, without a byte order mark, every line end an LF.
 * `undefined` for what is no text: invalid UTF-8 or a NUL.
 */
export function sourceText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  } catch {
    return undefined
  }
}
