import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { root } from '../../tests/structure/source.js'
import { type DoorPage, doorPage } from './api/door-page.js'
import { overviewPage } from './api/overview.js'
import { pageOfDoor, placeOf, type Reference, readReference } from './api/reference.js'
import { copyPictures, writeAssets } from './assets.js'
import { codeBlock } from './code.js'
import { type Document, documents } from './documents.js'
import { homePage } from './home.js'
import { type MenuGroup, type PageContent, pageHtml } from './layout.js'
import { type Links, relativeTo, siteLinks } from './links.js'
import { type MarkdownOptions, renderMarkdown } from './markdown.js'
import { contributorMenu, guideMenu } from './menu.js'
import { sampleReportHtml, writeSampleReport } from './sample-report.js'
import { sectionsOf } from './search-data.js'
import { escaped, visibleText } from './text.js'

export interface SiteOptions {
  /** The directory of the site; it is emptied first. */
  readonly out: string
  /** How many items of `examples/repair` the sample report has; 0: all. */
  readonly items: number
}

/** Builds the site of the documents and the built packages. Answers with its pages, from the root of the site. */
export async function buildSite({ out, items }: SiteOptions): Promise<readonly string[]> {
  rmSync(out, { recursive: true, force: true })
  const all = documents()
  const links = siteLinks(new Set(all.map(({ source }) => source)))
  const reference = readReference()
  const menu = guideMenu(all)
  const contributors = contributorMenu(all)
  const inGuide = new Set(menu.flatMap((group) => group.links.map(({ page }) => page)))
  const pages = [
    ...all.map((document) =>
      documentPage(document, inGuide.has(document.page) ? menu : contributors, links, reference),
    ),
    ...[overviewPage(reference), ...reference.doors.map((door) => doorPage(door, reference))].map((page) =>
      referencePage(page, reference),
    ),
    sampleReportPage(items, menu),
  ]
  const sources = [...links.sources].map(([path, page]) => sourcePage(path, page, menu))
  for (const content of [...pages, ...sources]) write(join(out, content.page), pageHtml(content))
  await writeAssets(out, pages.flatMap(sectionsOf))
  copyPictures(out, links.pictures)
  writeSampleReport(out, items)
  const guide = menu.flatMap((group) => group.links.map(({ page }) => page))
  write(join(out, 'llms.txt'), llmsText(menu, pages))
  write(
    join(out, 'llms-full.txt'),
    guide.flatMap((page) => all.find((one) => one.page === page)?.text ?? []).join('\n'),
  )
  // Hosts that run Jekyll on pages leave out what begins with an underscore, and take long.
  write(join(out, '.nojekyll'), '')
  return [...pages, ...sources].map(({ page }) => page)
}

/** The index for language models, by the convention of llmstxt.org: a line for each page of the guide. */
function llmsText(menu: readonly MenuGroup[], pages: readonly PageContent[]): string {
  const described = (page: string) => pages.find((one) => one.page === page)?.description.replaceAll(/\s+/g, ' ') ?? ''
  const groups = menu.map(({ title, links }) => {
    const lines = links.map(({ page, label }) => `- [${label}](${page}): ${described(page)}`)
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  const summary = `> ${described('index.html')}\n\nAll guides as one text: [llms-full.txt](llms-full.txt). In a project that has the package, \`node_modules/jurist/skills/jurist/SKILL.md\` teaches an agent to write evaluations and to read results.\n`
  return ['# Jurist\n', summary, ...groups].join('\n')
}

function documentPage(document: Document, menu: readonly MenuGroup[], links: Links, reference: Reference): PageContent {
  const { source, page, title, text } = document
  const options: MarkdownOptions = {
    resolve: (href) => links.resolve(href, source, page),
    pictureFile: (href) => join(dirname(source), href),
    reference(code) {
      const found = reference.named(code)
      return found === undefined ? undefined : relativeTo(page, placeOf(found))
    },
  }
  const isHome = source === 'README.md'
  const { html, headings } = isHome ? homePage(text, menu, options) : renderMarkdown(text, options)
  const description = beginningOf(html) ?? title
  const order = menu.flatMap((group) => group.links)
  const at = order.findIndex((link) => link.page === page)
  const [before, after] = [order[at - 1], order[at + 1]]
  return {
    page,
    title,
    description,
    html,
    headings,
    menu,
    kind: isHome ? 'home' : 'document',
    source,
    ...(!isHome && before !== undefined && { before }),
    ...(!isHome && after !== undefined && { after }),
  }
}

function referencePage({ page, title, html, headings }: DoorPage, { doors }: Reference): PageContent {
  const names = new Set(doors.map((door) => door.package))
  const guide = { page: 'guide/install.html', label: 'The guide' }
  const menu = [
    { title: 'Reference', links: [{ page: 'api/index.html', label: 'All names' }, guide] },
    ...[...names].sort(juristFirst).map((name) => ({
      title: name,
      links: doors
        .filter((door) => door.package === name)
        .map(({ door }) => ({ page: pageOfDoor(door), label: door.replace('@jurist/', ''), code: true })),
    })),
  ]
  const description = beginningOf(html) ?? title
  return { page, title, description, html, headings, menu, kind: 'reference' }
}

/** The first sentences of the first paragraph with words, without one that announces a block of code, unless it is the only one. */
function beginningOf(html: string): string | undefined {
  const paragraphs = [...html.matchAll(/<p>([\s\S]*?)<\/p>/g)].map(([, text = '']) => visibleText(text).trim())
  const [first = '', ...others] = paragraphs.find((text) => text !== '')?.split(/(?<=[.?!:])\s+/) ?? []
  let beginning = first
  for (const sentence of others)
    if (!sentence.endsWith(':') && beginning.length + sentence.length < 300) beginning += ` ${sentence}`
    else break
  return beginning === '' ? undefined : beginning.replace(/:$/, '.')
}

function juristFirst(a: string, b: string): number {
  return Number(b === 'jurist') - Number(a === 'jurist')
}

function sampleReportPage(items: number, menu: readonly MenuGroup[]): PageContent {
  const title = 'A sample report'
  return {
    page: 'sample-report.html',
    title,
    description: 'The report of a run, as one HTML file.',
    html: sampleReportHtml(items),
    headings: [{ id: 'sample-report', level: 1, text: title }],
    menu,
    kind: 'wide',
  }
}

/** A file that a document links to, with its code. */
function sourcePage(path: string, page: string, menu: readonly MenuGroup[]): PageContent {
  const code = readFileSync(join(root, path), 'utf8')
  const html = `<h1 id="file"><code>${escaped(path)}</code></h1>${codeBlock(code.trimEnd(), extname(path).slice(1))}`
  return { page, title: path, description: path, html, headings: [], menu, kind: 'source', source: path }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
