import MiniSearch from 'minisearch'
import type { SearchSection } from '../src/search-data.js'

export interface Hit {
  readonly section: SearchSection
  /** Pieces of the text around the first match; `true` for what matched. */
  readonly excerpt: readonly (readonly [string, boolean])[]
}

const shownHits = 12
const weights = { guide: 8, name: 1, other: 0.5 }

/** A function that finds sections for what somebody types: whole words, their beginnings, and words with a slip. */
export function findSections(sections: readonly SearchSection[]): (query: string) => readonly Hit[] {
  const index = new MiniSearch<SearchSection & { readonly id: number }>({
    fields: ['heading', 'page', 'text'],
    tokenize: wordsOf,
    searchOptions: {
      boost: { heading: 4, page: 1.5 },
      prefix: (word) => word.length > 1,
      fuzzy: (word) => (word.length > 4 ? 0.2 : false),
      combineWith: 'AND',
      boostDocument: (id) => weights[sections[id as number]?.kind ?? 'other'],
      tokenize: (query) => query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [],
    },
  })
  index.addAll(sections.map((section, id) => ({ ...section, id })))
  return (query) => {
    const exact = query.trim().toLowerCase()
    const found = index.search(query).flatMap(({ id, terms, score }) => {
      const section = sections[id as number]
      if (section === undefined) return []
      // A name that is typed whole comes first, unless it is a plain word: guides have more to say about those.
      const isName = section.heading.toLowerCase() === exact && /[a-z][A-Z]/.test(section.heading)
      return [{ section, terms, score: isName ? score * 100 : score }]
    })
    found.sort((a, b) => b.score - a.score)
    return found.slice(0, shownHits).map(({ section, terms }) => ({ section, excerpt: excerptOf(section.text, terms) }))
  }
}

/** Words, and the parts of names such as `fileExists`. */
function wordsOf(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}_]+/gu) ?? []
  return words.flatMap((word) => {
    const parts = /[a-z][A-Z]/.test(word) ? word.split(/(?<=[a-z])(?=[A-Z])|_/) : []
    return parts.length > 1 ? [word, ...parts] : [word]
  })
}

function excerptOf(text: string, terms: readonly string[]): Hit['excerpt'] {
  const lower = text.toLowerCase()
  const places = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0)
  const first = places.length === 0 ? 0 : Math.min(...places)
  const from = Math.max(0, lower.lastIndexOf(' ', Math.max(0, first - 40)) + 1)
  const piece = `${from > 0 ? '… ' : ''}${text.slice(from, from + 150)}`
  const escapedTerms = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  if (escapedTerms.length === 0) return [[piece, false]]
  const parts = piece.split(new RegExp(`(${escapedTerms.join('|')})`, 'giu'))
  return parts.filter((part) => part !== '').map((part) => [part, terms.includes(part.toLowerCase())])
}
