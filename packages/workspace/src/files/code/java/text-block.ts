/**
 * The value of a Java text block from what stands after its opening line up to the closing quotes: incidental
 * indentation and trailing space stripped, then escapes translated, as the language defines it.
 *
 * @example
 * textBlockValue('    a\n      b\n    ') // 'a\n  b\n'
 */
export function textBlockValue(content: string): string {
  const lines = content.split('\n')
  const indent = incidentalIndent(lines)
  const stripped = lines.map((line) => (isBlank(line) ? '' : withoutTrailingSpace(line.slice(indent))))
  return translated(stripped.join('\n'))
}

/** Goes from the end: a regular expression would take quadratic time for long runs of space inside a line. */
function withoutTrailingSpace(line: string): string {
  let end = line.length
  while (end > 0 && ' \t\f'.includes(line.charAt(end - 1))) end--
  return line.slice(0, end)
}

function isBlank(line: string): boolean {
  return /^[ \t\f]*$/.test(line)
}

/** The least indentation of the lines that are not blank and of the last line, which counts also when blank. */
function incidentalIndent(lines: readonly string[]): number {
  let least = Number.POSITIVE_INFINITY
  for (const [index, line] of lines.entries()) {
    if (isBlank(line) && index < lines.length - 1) continue
    least = Math.min(least, line.search(/[^ \t\f]|$/))
  }
  return least
}

const named: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['s', ' '],
  ['t', '\t'],
  ['n', '\n'],
  ['f', '\f'],
  ['r', '\r'],
  ['\n', ''],
])

function translated(text: string): string {
  return text.replace(/\\([0-3]?[0-7]{1,2}|.)/gs, (_, code: string) => {
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8))
    return named.get(code) ?? code
  })
}
