/**
 * A text as a block of code in Markdown that it cannot end: the fence is longer than any run of backticks in it.
 *
 * @example
 * fenced('npm test') // '```text\nnpm test\n```'
 */
export function fenced(text: string, language = 'text'): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
