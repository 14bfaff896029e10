const control = /[\u0000-\u001f\u007f-\u009f]/
const maxLength = 128

/** What keeps a text from being the id of an item, as the end of a sentence; `undefined` when it may be one. */
export function itemIdProblem(id: string): string | undefined {
  if (id.trim() === '') return 'is blank.'
  if (id.length > maxLength) return `is longer than ${maxLength} characters.`
  if (id === '.' || id === '..') return `${JSON.stringify(id)} means a directory.`
  if (/[/\\]/.test(id)) return `${JSON.stringify(id)} contains a slash.`
  return control.test(id) ? `${JSON.stringify(id)} contains a control character.` : undefined
}

/** How to give an item a good id. */
export const itemIdRemedy = 'Give each item its own id: 1 to 128 characters, without slashes and control characters.'

/** The id of a row or an item that has none: its number, counted from 1, as wide as the last one. */
export function rowId(number: number, width: number): string {
  return `row-${String(number).padStart(width, '0')}`
}
