import type { PageContent } from './layout.js'
import { visibleText } from './text.js'

/** A part of a page that the search can find: what follows a heading, up to the next one. */
export interface SearchSection {
  /** With the anchor, from the root of the site. */
  readonly to: string
  readonly page: string
  readonly heading: string
  readonly text: string
  /** What kind of page it is on; names of the reference and guides come first. */
  readonly kind: 'guide' | 'name' | 'other'
}

/** The sections of a page, cut at the headings that it lists. */
export function sectionsOf({ page, title, html, headings }: PageContent): readonly SearchSection[] {
  const starts = headings.flatMap((heading) => {
    const at = html.search(new RegExp(`<h\\d id="${pattern(heading.id)}"`))
    return at < 0 ? [] : [{ ...heading, at }]
  })
  return starts.map(({ id, level, text, at }, index) => {
    const end = starts[index + 1]?.at ?? html.length
    const content = html.slice(at, end).replace(/^<(h\d)[\s\S]*?<\/\1>/, '')
    return {
      to: level === 1 ? page : `${page}#${id}`,
      page: title,
      heading: text,
      text: visibleText(content),
      kind: page.startsWith('api/') && level > 1 ? 'name' : /^(?:guide|index)/.test(page) ? 'guide' : 'other',
    }
  })
}

function pattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
