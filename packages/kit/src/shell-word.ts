/** A word for a POSIX shell, quoted where the shell would read something in it. */
export function shellWord(word: string): string {
  return /^[\w./:@%+=,-][\w./:@%+=,#-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
