/** Quotes a word if a POSIX shell would interpret a character of it. */
export function shellWord(word: string): string {
  return /^[\w./:@%+=,-][\w./:@%+=,#-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
