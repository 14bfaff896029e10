/**
 * A word for a POSIX shell, quoted where the shell would read something in it.
 *
 * @example
 * shellWord('it is') // "'it is'"
 */
export function shellWord(word: string): string {
  return /^[\w./:@%+=,-][\w./:@%+=,#-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
