import { repository, version } from './facts.js'
import { relativeTo } from './links.js'
import type { Heading } from './markdown.js'
import { escaped } from './text.js'

/** A link of the navigation of a page, and whether it leads to this page. */
export interface MenuLink {
  readonly page: string
  readonly label: string
  /** A name of a program. */
  readonly code?: boolean
}

export interface MenuGroup {
  readonly title: string
  readonly links: readonly MenuLink[]
}

/** What differs from page to page. */
export interface PageContent {
  readonly page: string
  readonly title: string
  readonly description: string
  readonly html: string
  readonly headings: readonly Heading[]
  /** The navigation at the side; on the first page only phones have it. */
  readonly menu: readonly MenuGroup[]
  readonly kind: 'home' | 'document' | 'reference' | 'source' | 'wide'
  readonly before?: MenuLink
  readonly after?: MenuLink
  /** The file that the page is made of, from the root of the repository. */
  readonly source?: string
}

const places: readonly (MenuLink & { readonly kinds: RegExp })[] = [
  { page: 'guide/install.html', label: 'Guide', kinds: /^(?:guide|examples)\// },
  { page: 'api/index.html', label: 'API', kinds: /^api\// },
  { page: 'sample-report.html', label: 'Sample report', kinds: /^sample-report/ },
  { page: 'comparisons.html', label: 'Comparisons', kinds: /^comparisons/ },
]

/** A whole page. Everything it needs is beside it: it works from any address and from a disk. */
export function pageHtml(content: PageContent): string {
  const { page, title, description, html, kind, menu } = content
  const to = (target: string) => relativeTo(page, target)
  const top = relativeTo(page, 'index.html').replace(/index\.html$/, '')
  const name = kind === 'home' ? 'Jurist: unit tests for AI agents' : `${title} · Jurist`
  return `<!doctype html>
<html lang="en" data-top="${top}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(name)}</title>
<meta name="description" content="${escaped(description)}">
<meta property="og:title" content="${escaped(name)}">
<meta property="og:description" content="${escaped(description)}">
<link rel="icon" type="image/svg+xml" href="${to('assets/icon.svg')}">
<link rel="stylesheet" href="${to('assets/site.css')}">
<script>try{const t=localStorage.getItem('jurist-theme');if(t)document.documentElement.dataset.theme=t}catch{}</script>
<script defer src="${to('assets/site.js')}"></script>
</head>
<body class="${kind}">
<a class="skip" href="#main">Skip to the text</a>
${header(content)}
<div class="frame">
${sideMenu(menu, page)}
<main id="main" tabindex="-1">
<article>
${html}
</article>
${pager(content)}
</main>
${outline(content)}
</div>
${footer(content)}
</body>
</html>
`
}

const icons = {
  search:
    '<svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="8.5" cy="8.5" r="5.5"/><path d="m13 13 4.5 4.5"/></svg>',
  theme:
    '<svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="7"/><path class="filled" d="M10 3a7 7 0 0 1 0 14z"/></svg>',
  menu: '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 5h14M3 10h14M3 15h14"/></svg>',
}

function header({ page }: PageContent): string {
  const links = places.map(({ page: target, label, kinds }) => {
    const current = kinds.test(page) ? ' aria-current="true"' : ''
    return `<a href="${relativeTo(page, target)}"${current}>${label}</a>`
  })
  return `<header class="bar">
<button type="button" class="menu-button" aria-expanded="false" aria-controls="menu">${icons.menu}<span class="unseen">Menu</span></button>
<a class="brand" href="${relativeTo(page, 'index.html')}"><img src="${relativeTo(page, 'assets/icon.svg')}" alt="" width="24" height="24">Jurist</a>
<nav class="places" aria-label="Site">${links.join('')}${repository === undefined ? '' : `<a class="outside" href="${escaped(repository)}">Code</a>`}</nav>
<button type="button" class="search-button" aria-label="Search" aria-keyshortcuts="/ Control+K">${icons.search}<span>Search</span> <kbd aria-hidden="true">/</kbd></button>
<button type="button" class="theme-button" aria-label="Dark mode" aria-pressed="false">${icons.theme}</button>
</header>`
}

function sideMenu(menu: readonly MenuGroup[], page: string): string {
  const groups = menu.map(({ title, links }) => {
    const items = links.map(({ page: target, label, code }) => {
      const current = target === page ? ' aria-current="page"' : ''
      const text = code === true ? `<code>${escaped(label)}</code>` : escaped(label)
      return `<li><a href="${relativeTo(page, target)}"${current}>${text}</a></li>`
    })
    return `<section><h2>${escaped(title)}</h2><ul>${items.join('')}</ul></section>`
  })
  return `<nav class="menu" id="menu" aria-label="Pages">${groups.join('\n')}</nav>`
}

function outline({ headings, kind }: PageContent): string {
  const shown = headings.filter(({ level }) => level === 2 || (level === 3 && headings.length < 40))
  if (kind === 'home' || kind === 'wide' || shown.length < 2) return ''
  const items = shown.map(
    ({ id, level, text }) => `<li class="level-${level}"><a href="#${id}">${escaped(text)}</a></li>`,
  )
  return `<nav class="outline" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`
}

function pager({ page, before, after }: PageContent): string {
  if (before === undefined && after === undefined) return ''
  const link = (one: MenuLink | undefined, word: string) =>
    one === undefined
      ? '<span></span>'
      : `<a class="${word.toLowerCase()}" href="${relativeTo(page, one.page)}"><span>${word}</span>${escaped(one.label)}</a>`
  return `<nav class="pager" aria-label="Pages before and after">${link(before, 'Previous')}${link(after, 'Next')}</nav>`
}

function footer({ source, page }: PageContent): string {
  const origin = source === undefined ? '' : `Made of <code>${escaped(source)}</code>. `
  const edit =
    source === undefined || repository === undefined
      ? ''
      : `<a href="${escaped(`${repository}/edit/main/${source}`)}">Edit this page</a>`
  return `<footer><p>${origin}${edit}</p><p>Jurist ${escaped(version)}, MIT. <a href="${relativeTo(page, 'contributing.html')}">Contribute</a></p></footer>`
}
