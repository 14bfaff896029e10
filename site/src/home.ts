import { Marked, type Token, type Tokens } from 'marked'
import { codeBlock } from './code.js'
import type { MenuGroup } from './layout.js'
import { relativeTo } from './links.js'
import { type MarkdownOptions, type Rendered, renderMarkdown } from './markdown.js'
import { foundGroups } from './navigation.js'
import { escaped } from './text.js'

const page = 'index.html'

/**
 * The first page: what the README begins with as an opening with the verdict of a trial beside it, then its sections, and what
 * a reader can do instead of its table of documents.
 */
export function homePage(readme: string, menu: readonly MenuGroup[], options: MarkdownOptions): Rendered {
  const { opening, sections } = partsOfReadme(readme)
  const [lead, ...rest] = opening.filter(({ type }) => type !== 'heading' && type !== 'space')
  const verdict = firstFence(sections, /✗/)
  const command = firstFence(opening, /^npm /)
  const [first = '', ...sentences] = (lead?.raw ?? '').trim().split(/(?<=\*\*)\s+/)
  const pictures = rest.filter(isPicture)
  const words = rest.filter((token) => !isPicture(token) && !(token.type === 'code' && token.text === command))
  const [promise, ...others] = words
  const { html, headings } = renderMarkdown(
    sections
      .filter(({ type, raw }) => type !== 'documents' && raw !== '')
      .map(({ raw }) => raw)
      .join(''),
    options,
  )
  const inline = (text: string) => renderMarkdown(text, options).html
  return {
    html: `<section class="hero">
<div><h1 id="jurist">${escaped(first.replaceAll('**', ''))}</h1>
${inline(sentences.join(' '))}
<p class="actions"><a class="primary" href="${relativeTo(page, startOf(menu))}">Read the guide</a><a href="sample-report.html">Open a sample report</a><a href="api/index.html">API reference</a></p>
${inline(promise?.raw ?? '')}
${codeBlock(command, 'sh')}</div>
<figure class="terminal" aria-label="The verdict of a trial">${codeBlock(shortened(verdict))}</figure>
</section>
<section class="first">${inline(others.map(({ raw }) => raw).join('\n'))}</section>
<section class="gallery" aria-label="Pictures">${pictures.map((token) => picture(token, options)).join('\n')}</section>
<section class="tasks" aria-labelledby="to-do"><h2 id="to-do">What do you want to do?</h2><div>${menu
      .filter(({ title }) => isTask(title))
      .map(card)
      .join('\n')}</div></section>
<section class="text">${html}</section>`,
    headings: [{ id: 'jurist', level: 1, text: 'Jurist' }, ...headings],
  }
}

/** The opening of the README, and each of its sections as one piece; the table of documents is marked. */
function partsOfReadme(readme: string) {
  const tokens = new Marked().lexer(readme)
  const start = tokens.findIndex((token) => token.type === 'heading' && token.depth === 2)
  const opening = tokens.slice(0, start)
  let isDocuments = false
  const sections = tokens.slice(start).map((token) => {
    if (token.type === 'heading' && token.depth === 2) isDocuments = token.text === 'Documentation'
    return isDocuments ? { ...token, type: 'documents' } : token
  })
  return { opening, sections }
}

function isPicture({ type, raw }: Token): boolean {
  return type === 'paragraph' && raw.startsWith('![')
}

function firstFence(tokens: readonly Token[], matches: RegExp): string {
  const found = tokens.find((token) => token.type === 'code' && matches.test((token as Tokens.Code).text))
  if (found === undefined) throw new Error(`README.md has no block of code that matches ${matches} for the first page.`)
  return (found as Tokens.Code).text
}

function startOf(menu: readonly MenuGroup[]): string {
  return menu[0]?.links.find((link) => link.page !== page)?.page ?? page
}

/** The tree of verdicts without its title and paths, as much as is seen beside the opening. */
function shortened(verdict: string): string {
  const lines = verdict.split('\n')
  const from = lines.findIndex((line) => /✗/.test(line))
  return lines.slice(from).join('\n').replace(/^ {2}/gm, '')
}

function picture(token: Token, options: MarkdownOptions): string {
  const [, alt = '', href = ''] = /^!\[([^\]]*)\]\(([^)]+)\)/.exec(token.raw) ?? []
  const image = renderMarkdown(`![${alt}](${href})`, options).html.replace(/^<p>|<\/p>\s*$/g, '')
  return `<figure>${image}<figcaption>${escaped(alt)}</figcaption></figure>`
}

/** Whether a group of the navigation is about using Jurist, and not found for its kind of documents. */
function isTask(title: string): boolean {
  return foundGroups.every((group) => group.title !== title)
}

function card({ title, links }: MenuGroup): string {
  const items = links
    .filter((link) => link.page !== page)
    .map((link) => `<li><a href="${relativeTo(page, link.page)}">${escaped(link.label)}</a></li>`)
  return `<section><h3>${escaped(title)}</h3><ul>${items.join('')}</ul></section>`
}
