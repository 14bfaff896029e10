/** Control sequences of terminals: colours and cursor moves, titles and links, single escapes. */
const sequences =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]|\u009b[0-?]*[ -/]*[@-~]/g

/**
 * A text without the control sequences that programs write for terminals. Tests of coding agents print in colour.
 *
 * @example
 * plainText('\u001b[31mfailed\u001b[39m') // 'failed'
 */
export function plainText(text: string): string {
  return text.includes('\u001b') || text.includes('\u009b') ? text.replace(sequences, '') : text
}
