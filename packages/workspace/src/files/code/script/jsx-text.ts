/**
 * JSX text as it will be shown: lines trimmed where they meet others, blank ones dropped, the rest joined by a space.
 * Text on one line stays as it is. Empty: nothing is shown.
 *
 * @example
 * shownJsxText('\n  Hello\n  world\n') // 'Hello world'
 */
export function shownJsxText(text: string): string {
  const lines = text.split('\n')
  const last = lines.length - 1
  return lines
    .map((line, index) => trimmed(line, index > 0, index < last))
    .filter((line) => line !== '')
    .join(' ')
}

function trimmed(line: string, start: boolean, end: boolean): string {
  const begun = start ? line.replace(/^[ \t]+/, '') : line
  let length = begun.length
  while (end && length > 0 && ' \t'.includes(begun.charAt(length - 1))) length--
  return begun.slice(0, length)
}
