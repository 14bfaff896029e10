/** Characters without width, and others that are drawn as nothing. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu
/** White space of any kind that does not end a line. */
const spaces = /(?:(?![\r\n\u2028\u2029])[\p{White_Space}])+/gu
const lineEnd = /\r\n|[\n\r\u2028\u2029]/

const wrapping = '\\s*_~`#><\\-•·|"\'‘’“”«»()\\[\\]{}.,;:–—'
const wrappedStart = new RegExp(`^[${wrapping}]+`, 'u')
const wrappedEnd = new RegExp(`[${wrapping}!]+$`, 'u')
const unsignedStart = new RegExp(`^(?:(?![-–—.]\\d)[${wrapping}])+`, 'u')

/**
 * A text as it is compared: compatible forms made equal (NFKC), invisible characters removed, every run of white space
 * one space, lower case. Line ends stay.
 */
export function fold(text: string): string {
  return text.replace(invisible, '').normalize('NFKC').replace(spaces, ' ').toLowerCase()
}

/** The lines of a text, without their ends. */
export function linesOf(text: string): readonly string[] {
  return text.split(lineEnd)
}

/** A line without the marks, quotes, brackets and stops around it; a `!` in front stays, since it may mean "not". */
export function strip(line: string): string {
  return stripEnd(stripStart(line))
}

/** As `strip`, at the start only. */
export function stripStart(line: string): string {
  return line.replace(wrappedStart, '')
}

/** As `strip`, but what stands directly in front of a digit and might be its sign or its point stays. */
export function stripAroundNumber(line: string): string {
  return stripEnd(line.replace(unsignedStart, ''))
}

function stripEnd(line: string): string {
  // A regex anchored at the end alone would try every start; from the back it is one walk.
  let end = line.length
  while (end > 0 && wrappedEnd.test(line.slice(end - 1, end))) end -= 1
  return line.slice(0, end)
}

/** A text as a part of the source of a regular expression. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

const separator = /^(?:[,;:!)\]}>*_~"'`]|\.(?![\p{L}\p{N}])| [-–—]| ?[([{:=,;|])/u

/** What follows a label or a number when it stands for itself: nothing, or a separator. Gives what comes after. */
export function afterSeparator(rest: string): string | undefined {
  return rest === '' ? '' : separator.test(rest) ? rest.replace(separator, '') : undefined
}
