import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Marked, type RendererObject, type Tokens } from 'marked'
import { root } from '../../tests/structure/source.js'
import { codeBlock } from './code.js'
import { escaped, headingIds, visibleText } from './text.js'

/** A heading of a page, for its outline and for the search. */
export interface Heading {
  readonly id: string
  readonly level: number
  readonly text: string
}

export interface Rendered {
  readonly html: string
  readonly headings: readonly Heading[]
}

export interface MarkdownOptions {
  /** The target of a link or a picture, on the site. */
  readonly resolve: (href: string) => string
  /** The file of a picture, from the root of the repository. */
  readonly pictureFile?: (href: string) => string
  /** The page of the reference for a name in backticks; none for what is no public name. */
  readonly reference?: (code: string) => string | undefined
}

/** The HTML of a document, with the ids that a code host gives its headings. */
export function renderMarkdown(text: string, options: MarkdownOptions): Rendered {
  const headings: Heading[] = []
  const idOf = headingIds()
  /** How many links and headings the text is in: a name within them is no link of its own. */
  const depthOf = { links: 0 }
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = within(depthOf, () => this.parser.parseInline(tokens))
        const shown = visibleText(html)
        const id = idOf(shown)
        headings.push({ id, level: depth, text: shown })
        if (depth === 1) return `<h1 id="${id}">${html}</h1>`
        return `<h${depth} id="${id}">${html} <a class="anchor" href="#${id}" aria-label="Link to ${escaped(shown)}">#</a></h${depth}>`
      },
      ...blocks,
      ...inlineWith(options, depthOf),
    },
  })
  return { html: marked.parse(text, { async: false }), headings }
}

const blocks: RendererObject = {
  // Comments before code are for the tests that run it: docs/style.md.
  html: ({ text }) => (text.startsWith('<!--') ? '' : text),
  code: ({ text, lang }) => codeBlock(text, /^\S*/.exec(lang ?? '')?.[0]),
  table({ header, rows }) {
    const cells = (row: readonly Tokens.TableCell[], tag: string) =>
      row.map(({ tokens, align }) => {
        const html = this.parser.parseInline(tokens)
        // A head without text says nothing to a screen reader.
        const name = html === '' ? 'td' : tag
        return `<${name}${align === null ? '' : ` class="${align}"`}>${html}</${name}>`
      })
    const isNamed = header.some(({ text }) => text !== '')
    const head = isNamed ? `<thead><tr>${cells(header, 'th').join('')}</tr></thead>` : ''
    const body = rows.map((row) => `<tr>${cells(row, 'td').join('')}</tr>`).join('\n')
    return `<div class="table"><table>${head}<tbody>${body}</tbody></table></div>`
  },
}

interface Depth {
  links: number
}

function within(depth: Depth, render: () => string): string {
  depth.links += 1
  const html = render()
  depth.links -= 1
  return html
}

function inlineWith({ resolve, pictureFile, reference }: MarkdownOptions, depth: Depth): RendererObject {
  return {
    link({ href, title, tokens }) {
      const html = within(depth, () => this.parser.parseInline(tokens))
      const outside = /^https?:/.test(href) ? ' class="outside"' : ''
      return `<a href="${escaped(resolve(href))}"${outside}${title ? ` title="${escaped(title)}"` : ''}>${html}</a>`
    },
    image({ href, text }) {
      const target = escaped(resolve(href))
      const size = pictureFile === undefined ? '' : sizeOf(pictureFile(href))
      const image = `<img src="${target}" alt="${escaped(text)}"${size} loading="lazy" decoding="async">`
      return depth.links > 0 ? image : `<a class="picture" href="${target}">${image}</a>`
    },
    codespan({ text }) {
      const code = `<code>${escaped(text)}</code>`
      const target = depth.links > 0 ? undefined : reference?.(text)
      return target === undefined ? code : `<a class="name" href="${escaped(target)}">${code}</a>`
    },
  }
}

/** The attributes that reserve the place of a picture before it is loaded. */
function sizeOf(file: string): string {
  const data = readFileSync(join(root, file))
  if (file.endsWith('.png')) return ` width="${data.readUInt32BE(16)}" height="${data.readUInt32BE(20)}"`
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(data.toString('utf8')) ?? []
  return width === undefined ? '' : ` width="${width}" height="${height}"`
}
