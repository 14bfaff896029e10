const sequences =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][\s\S]*?(?:\u0007|\u001b\\|$)|\u009b[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]?/g
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g
const breaks = /\r\n|[\n\r\u2028\u2029]/g

/**
 * A text of items, models and files without what a terminal would obey: control sequences, control characters, marks
 * that turn the direction of writing. Line breaks stay.
 */
export function plainBlock(text: string): string {
  return text.replace(breaks, '\n').replace(sequences, '').replaceAll('\t', '  ').replace(controls, '')
}

/** As `plainBlock`, on one line. */
export function plainLine(text: string): string {
  if (/^[\u0020-\u007e]*$/.test(text)) return text.trim()
  return plainBlock(text)
    .replace(/\s*\n\s*/g, ' ')
    .trim()
}
