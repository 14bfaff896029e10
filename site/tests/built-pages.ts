import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** What a test asks about a page of a built site. */
export interface BuiltPage {
  /** From the root of the site. */
  readonly page: string
  readonly html: string
  readonly ids: ReadonlySet<string>
  /** The values of `href` and `src`, with the element that has them. */
  readonly links: readonly { readonly element: string; readonly to: string }[]
}

/** Reads the pages of a site. */
export function readPages(directory: string, pages: readonly string[]): ReadonlyMap<string, BuiltPage> {
  return new Map(pages.map((page) => [page, readPage(directory, page)]))
}

function readPage(directory: string, page: string): BuiltPage {
  const html = readFileSync(join(directory, page), 'utf8')
  const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => plain(id)))
  const links = [...html.matchAll(/<(\w+)(?: [^>]*)? (?:href|src)="([^"]*)"/g)].map(([, element = '', to = '']) => ({
    element,
    to: plain(to),
  }))
  return { page, html, ids, links }
}

/** The page or file that a link leads to, from the root of the site, and the anchor there. */
export function targetOf(page: string, to: string): { readonly path: string; readonly anchor: string } {
  const [path = '', anchor = ''] = to.split('#')
  const target = path === '' ? page : posix.join(posix.dirname(page), path)
  return { path: target, anchor: decodeURIComponent(anchor) }
}

/** Text without entities. */
export function plain(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&')
}

/** The text of each block of code of a page. */
export function codeOf({ html }: BuiltPage): readonly string[] {
  return [...html.matchAll(/<pre><code>([\s\S]*?)<\/code><\/pre>/g)].map(([, code = '']) =>
    plain(code.replace(/<[^>]*>/g, '')),
  )
}
