/**
 * The words of a command that needs no shell: separated by spaces, with quotes around those that hold one. `undefined`: it
 * needs a shell, for a pipe, a variable, a pattern or a second command.
 *
 * @example
 * splitWords("pytest -k 'a b'") // ['pytest', '-k', 'a b']
 * splitWords('npm test && npm run lint') // undefined
 */
export function splitWords(line: string): readonly string[] | undefined {
  const word = /\s*(?:'([^']*)'|"([^"\\$`]*)"|([^\s'"|&;<>$`\\*?()#~]+))(?=\s|$)/y
  const words: string[] = []
  const text = line.trim()
  while (word.lastIndex < text.length) {
    const found = word.exec(text)
    if (found === null) return undefined
    words.push(found.slice(1).find((one) => one !== undefined) ?? '')
  }
  return words.length === 0 || /^\w+=/.test(words[0] ?? '') ? undefined : words
}
