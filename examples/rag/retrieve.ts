const wanted = 2
const commonWords = new Set([
  'the',
  'a',
  'and',
  'can',
  'does',
  'how',
  'i',
  'in',
  'into',
  'it',
  'may',
  'of',
  'what',
  'who',
  'with',
])

/** The two pages that share the most words with the question; a word counts the more, the fewer pages have it. */
export function retrieve(question: string, pages: readonly string[]): readonly string[] {
  const bags = pages.map(wordsOf)
  const weight = (word: string) => 1 / (1 + bags.filter((bag) => bag.has(word)).length)
  const scored = pages.map((page, index) => {
    const shared = [...wordsOf(question)].filter((word) => bags[index]?.has(word))
    return { page, score: shared.reduce((sum, word) => sum + weight(word), 0) }
  })
  return scored
    .toSorted((a, b) => b.score - a.score)
    .slice(0, wanted)
    .map(({ page }) => page)
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set((text.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((word) => !commonWords.has(word)))
}
