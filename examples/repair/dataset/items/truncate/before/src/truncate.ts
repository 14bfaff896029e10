/** The text in at most `length` characters (code points); a shortened text ends with an ellipsis. */
export function truncate(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text.slice(0, length - 1)}…`
}
