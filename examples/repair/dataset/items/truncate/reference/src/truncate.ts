/** The text in at most `length` characters (code points); a shortened text ends with an ellipsis. */
export function truncate(text: string, length: number): string {
  const characters = [...text]
  if (characters.length <= length) return text
  return `${characters.slice(0, length - 1).join('')}…`
}
