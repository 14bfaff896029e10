/** How often each word occurs, in lower case, most frequent first; words that tie stay in the order of the text. */
export function countWords(text: string): [string, number][] {
  const counts = new Map<string, number>()
  for (const word of text.toLowerCase().split(/\s+/).filter((part) => part !== '')) {
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return [...counts].sort(([, a], [, b]) => b - a)
}
