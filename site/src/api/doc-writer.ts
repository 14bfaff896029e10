import { relativeTo } from '../links.js'
import { renderMarkdown } from '../markdown.js'
import { placeOf, type Reference } from './reference.js'

/** Writes the Markdown of doc comments; names in backticks lead to their entries. */
export function docWriter(page: string, reference: Reference) {
  const options = {
    resolve: (href: string) => href,
    reference(code: string) {
      const found = reference.named(code)
      return found === undefined ? undefined : relativeTo(page, placeOf(found))
    },
  }
  return {
    block: (text: string) => (text === '' ? '' : renderMarkdown(text, options).html),
    inline: (text: string) =>
      renderMarkdown(text, options)
        .html.trim()
        .replace(/^<p>([\s\S]*)<\/p>$/, '$1'),
  }
}
