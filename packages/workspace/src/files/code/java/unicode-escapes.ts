import { countUpTo } from '../token-stream.js'

/** A source without Unicode escapes, and the way back to offsets in the source as it was written. */
interface TranslatedSource {
  readonly text: string
  /** The offset in the written source of the character at `offset` of `text`. */
  writtenOffset(offset: number): number
}

const backslash = /\\(?:u+([0-9a-fA-F]{4})|.)/gs

/**
 * Translates `\\uXXXX` as the language demands before anything else is read: only after an even number of backslashes,
 * and a translated backslash begins no further escape. So code hidden in an escaped comment end is seen as code.
 *
 * @example
 * translateUnicodeEscapes('char \\u0061;').text // 'char a;'
 */
export function translateUnicodeEscapes(source: string): TranslatedSource {
  if (!source.includes('\\u')) return { text: source, writtenOffset: (offset) => offset }
  const ends: number[] = []
  let removed = 0
  const text = source.replace(backslash, (written: string, code: string | undefined, offset: number) => {
    if (code === undefined) return written
    ends.push(offset - removed + 1)
    removed += written.length - 1
    return String.fromCharCode(Number.parseInt(code, 16))
  })
  const removedUpTo = removedSums(source)
  return { text, writtenOffset: (offset) => offset + (removedUpTo[countUpTo(ends, offset)] ?? 0) }
}

/** How many characters the first n escapes lose, for n from 0. */
function removedSums(source: string): readonly number[] {
  const sums = [0]
  for (const [written, code] of source.matchAll(backslash)) {
    if (code !== undefined) sums.push((sums.at(-1) ?? 0) + written.length - 1)
  }
  return sums
}
